import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { stubs } from '../helpers/stubs.ts';

// No PowerShell can be installed where these tests run: neither npm nor Debian has one. A grammar reads the script, and
// test/reference/completions.test.ts tests what it hands to innctl and gets back.
const require = createRequire(import.meta.url);
await Parser.init();
const grammar = await Language.load(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'));
const parser = new Parser().setLanguage(grammar);

/** The nodes of a script of some kinds. */
function nodesOf(script: string, ...types: readonly string[]): readonly Node[] {
  const root = parser.parse(script)?.rootNode;
  return root?.descendantsOfType([...types]).filter((node) => node !== null) ?? [];
}

const mistakes = (script: string) => nodesOf(script, 'ERROR').map(({ text }) => text);

test('the script for PowerShell has no syntax errors', () => {
  expect(mistakes(stubs.powershell)).toEqual([]);
  expect(mistakes(stubs.powershell.replace('foreach (', 'foreach '))).not.toEqual([]);
});

test('the script is ASCII: PowerShell may read it in any encoding', () => {
  expect(stubs.powershell).toMatch(/^[\n -~]+$/);
});

test('the script runs only these commands', () => {
  const names = nodesOf(stubs.powershell, 'command_name', 'command_name_expr').map(({ text }) => text);

  expect([...new Set(names)].toSorted()).toEqual([
    '$program',
    'Get-Command',
    'Register-ArgumentCompleter',
    'Select-Object',
    'Set-StrictMode',
  ]);
});
