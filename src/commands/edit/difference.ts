import { structuredPatch } from 'diff';
import type { Context } from '../../context.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import { openPaint, type Paint } from '../../render/paint.ts';
import { neutralise } from '../../render/text.ts';
import { toYaml } from '../../render/yaml.ts';

/** Lines that differ, beyond which comparing takes too long. */
const MOST_DIFFERENT = 2_000;

/** Lines around each difference. */
const AROUND = 3;

/** Shows on stderr what becomes of a record, as a unified difference of its YAML; `name` is how its head calls it. */
export async function showDifference(
  name: string,
  before: ServiceRecord,
  after: ServiceRecord,
  { stderr, presentation }: Pick<Context, 'stderr' | 'presentation'>,
): Promise<void> {
  const paint = await openPaint(presentation.colour);
  const lines = differenceOf(name, toYaml(before), toYaml(inOrderOf(before, after)));
  await stderr.write(lines.map((line) => `${painted(neutralise(line), paint)}\n`).join(''));
}

/** The same values, fields in the order of another record: that they moved is no difference. */
function inOrderOf(model: ServiceRecord, record: ServiceRecord): ServiceRecord {
  const names = [...new Set([...Object.keys(model), ...Object.keys(record)])];
  const present = names.filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(
    present.map((name) => {
      const [value, like] = [record[name], Object.hasOwn(model, name) ? model[name] : undefined];
      return [name, isRecord(value) && isRecord(like) ? inOrderOf(like, value) : value];
    }),
  );
}

function differenceOf(name: string, before: string, after: string): readonly string[] {
  const limits = { context: AROUND, maxEditLength: MOST_DIFFERENT };
  const patch = structuredPatch(name, name, before, after, undefined, undefined, limits);
  if (patch === undefined) return [`More than ${MOST_DIFFERENT} lines of ${name} differ.`];
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return [`--- ${name}, as it is`, `+++ ${name}, as edited`, ...hunks];
}

/** The sign in front says the same. */
function painted(line: string, paint: Paint): string {
  if (line.startsWith('--- ') || line.startsWith('+++ ')) return paint.title(line);
  if (line.startsWith('-')) return paint.error(line);
  return line.startsWith('+') || line.startsWith('@@') ? paint.hint(line) : line;
}
