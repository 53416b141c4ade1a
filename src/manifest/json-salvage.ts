import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { PlacedValue } from './placed.ts';

/** Code units. A tree of a longer text takes too much memory. */
const LONGEST = 1_048_576;

interface Salvaged extends PlacedValue {
  readonly brokenLines: readonly number[];
}

/** What can be read of a text that is no JSON, and the lines of all of its mistakes; `undefined` of one that is too long. */
export function salvageJson(text: string): Salvaged | undefined {
  if (text.length > LONGEST) return undefined;
  const mistakes: ParseError[] = [];
  const tree = parseTree(text, mistakes, { disallowComments: true });
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (offset: number) => countBelow(offset, ends) + 1;
  const offsets = mistakes.map(({ offset }) => offset).sort((one, other) => one - other);
  const isBroken = ({ offset, length }: Node) =>
    countBelow(offset, offsets) < countBelow(offset + length + 1, offsets);
  const nodeAt = (path: readonly (string | number)[]) => tree && findNodeAtLocation(tree, [...path]);
  return {
    value: tree && getNodeValue(tree),
    lineOf: (path) => lineAt(nodeAt(path)?.offset ?? 0),
    isTold: (path) => {
      const node = nodeAt(path);
      return path.length === 0 || node === undefined || isBroken(node);
    },
    brokenLines: [...new Set(offsets.map(lineAt))],
  };
}

/** How many of some sorted numbers are lower. */
function countBelow(least: number, sorted: readonly number[]): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
