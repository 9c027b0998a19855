#!/usr/bin/env node
import { runCommandLine } from './cli/command-line.ts';

await runCommandLine(process.argv);
