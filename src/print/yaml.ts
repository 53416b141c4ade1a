import { Document, visit } from 'yaml';
import { hasHidden, neutraliseYaml, printed } from './text.ts';

/**
 * The value as one YAML 1.2 document that is safe on a terminal, ended by a newline. Texts that YAML 1.2 or 1.1 would
 * read as another type (`NO`, `01067`, `15:00:00`) are quoted; what `neutralise` would replace is escaped.
 *
 * @throws {CliError} `unprintable` when the value is nested deeper than the library can print.
 */
export function toYaml(value: unknown): string {
  return printed('YAML', () => {
    const document = new Document(value, {
      version: '1.2',
      schema: 'core',
      compat: 'yaml-1.1',
      // Shared objects are repeated, so that readers need no aliases.
      aliasDuplicateObjects: false,
    });
    visit(document, {
      Scalar: (_key, scalar) => {
        const text = typeof scalar.value === 'string' ? scalar.value : '';
        // Escapes need double quotes. YAML 1.1 reads a lone = as a special value, and some readers lose blanks at line ends.
        if (text === '=' || /^\s|[ \t](?:\n|$)/.test(text) || hasHidden(text)) scalar.type = 'QUOTE_DOUBLE';
        // As in JSON: -0 would be read as a text.
        if (Object.is(scalar.value, -0)) scalar.value = 0;
      },
    });
    return neutraliseYaml(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity }));
  });
}
