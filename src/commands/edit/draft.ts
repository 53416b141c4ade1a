import type { ServiceRecord } from '../../records.ts';
import { toYaml } from '../../render/yaml.ts';
import type { Subject } from './subject.ts';

/** The text that is edited: what can be changed as YAML, and above it, in comments, what it is and what cannot. */
export function draftOf(subject: Subject, record: ServiceRecord): string {
  const fixed = subject.fixedIn(record);
  const shown = Object.keys(record).filter((name) => fixed.includes(name));
  const constant = Object.fromEntries(shown.map((name) => [name, record[name]]));
  const comments = [
    `${subject.name.charAt(0).toUpperCase()}${subject.name.slice(1)} (${subject.place}).`,
    'Change the values below, save, and close the editor: you then see the difference before it is sent.',
    'A line that you take away takes its value away. A text without a change, or an empty one, sends nothing.',
    ...subject.advice,
    ...(shown.length === 0 ? [] : ['', 'Not to be changed here:', ...linesOf(constant)]),
  ];
  return `${comments.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n${toYaml(withoutFields(record, fixed))}`;
}

/** The record without some of its fields. */
export function withoutFields(record: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function linesOf(record: ServiceRecord): readonly string[] {
  return toYaml(record).trimEnd().split('\n');
}
