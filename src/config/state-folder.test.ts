import { expect, test } from 'vitest';
import { stateHome } from './state-folder.ts';

test('each platform has its own place, and XDG_STATE_HOME wins', () => {
  expect(stateHome({ HOME: '/h' }, 'linux')).toBe('/h/.local/state');
  expect(stateHome({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support');
  expect(stateHome({ HOME: '/h', XDG_STATE_HOME: '/x' }, 'linux')).toBe('/x');
});
