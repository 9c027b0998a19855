#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { keepCompiledCode } from './app/compile-cache.ts';

keepCompiledCode(fileURLToPath(import.meta.url), process.env);
// Imported now, as only what is loaded after the line above is kept.
const { runCommandLine } = await import('./cli/command-line.ts');
await runCommandLine(process.argv);
