import { isAlias, isNode, isScalar, Scalar, visit, type Document as YamlDocument } from 'yaml';
import { FileProblem } from './file-problem.ts';

/** Levels of lists and maps. */
export const DEEPEST = 50;

/** Anchors and aliases together: the library compares each alias with all of them. */
const MOST_MARKS = 5_000;

/**
 * Refuses what YAML has and records have not: tags, keys that are lists or maps, aliases inside what they stand for, and
 * very many aliases.
 *
 * @param lineAt the line at an offset.
 * @param complain hears of what is wrong with one place alone; it is refused otherwise.
 * @throws {CliError} exit 2.
 */
export function refuseUntaken(
  document: YamlDocument,
  name: string,
  lineAt: (offset: number | undefined) => number | undefined = () => undefined,
  complain?: (offset: number | undefined, reason: string) => void,
): void {
  const refuse = (node: unknown, reason: string): never => {
    throw new FileProblem(name, reason, { line: lineAt(offsetOf(node)) });
  };
  const tell = (node: unknown, reason: string) =>
    complain === undefined ? refuse(node, reason) : complain(offsetOf(node), reason);
  const anchors = new Set<string>();
  let marks = 0;
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isScalar(key)) tell(key, 'has a key that is not a plain text');
    },
    Node: (_key, node, path) => {
      if (path.length > DEEPEST * 2) refuse(node, `is nested deeper than ${DEEPEST}`);
      if (isAlias(node) || node.anchor !== undefined) marks += 1;
      if (marks > MOST_MARKS) refuse(node, `has more than ${MOST_MARKS} anchors (&) and aliases (*)`);
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
      if (isAlias(node)) {
        const isInside = path.some(
          (outer) => isNode(outer) && 'anchor' in outer && outer.anchor === node.source,
        );
        if (isInside) refuse(node, `has an alias (*${node.source}) inside what it stands for`);
        if (anchors.has(node.source)) return undefined;
        tell(node, `has an alias (*${node.source}) without an anchor (&${node.source}) before it`);
        return new Scalar(null);
      }
      if (node.tag !== undefined) tell(node, `has a tag (${node.tag}), and tags are not taken`);
      return undefined;
    },
  });
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
