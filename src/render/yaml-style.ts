import type { Page } from '../records.ts';
import { wholeDocument, wholeList } from './documents.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import type { Screen, Style } from './styles.ts';

/** The document of --json, as YAML. */
export const yamlStyle: Style = {
  inCells: false,
  showsEmpty: true,
  isJson: false,
  list: listDocument,
  record: async (_shape, record) => yaml(record),
  document,
  facts: yaml,
  line: yaml,
};

async function* listDocument(
  _shape: Shape,
  pages: AsyncIterable<Page>,
  _screen: Screen,
  beside: Facts,
): AsyncIterable<string> {
  yield await yaml(await wholeList(pages, beside));
}

async function* document(value: unknown, parts: DocumentParts): AsyncIterable<string> {
  yield await yaml(await wholeDocument(value, parts));
}

async function yaml(value: unknown): Promise<string> {
  const { toYaml } = await import('./yaml.ts');
  return toYaml(value);
}
