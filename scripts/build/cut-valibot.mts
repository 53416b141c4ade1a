import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, RolldownMagicString } from 'rolldown';

const sources = join(import.meta.dirname, '../../src');

/**
 * Removes unused functions from valibot, one file of several hundred functions. Only whole declarations are
 * removed. The bundler itself does no tree shaking: docs/adr/0025.
 */
export function cutValibot(): Plugin {
  return {
    name: 'cut-valibot',
    transform(code, id) {
      if (!id.endsWith('/node_modules/valibot/dist/index.mjs')) return null;
      const statements = this.parse(code).body.map((statement) => {
        const text = code.slice(statement.start, statement.end);
        return { ...statement, text, declared: declaredIn(text) };
      });
      const exported = statements.flatMap(({ type, text }) =>
        type === 'ExportNamedDeclaration' ? exportedIn(text) : [],
      );
      const named = namedInSources();
      const used = closureOf(
        exported.flatMap(({ name, local }) => (named.has(name) ? [local] : [])),
        new Map(statements.flatMap(({ text, declared }) => (declared === '' ? [] : [[declared, text]]))),
      );
      const cut = new RolldownMagicString(code);
      for (const { type, start, end, declared } of statements) {
        if (declared !== '' && !used.has(declared)) cut.remove(start, end);
        if (type !== 'ExportNamedDeclaration') continue;
        const kept = exported.flatMap(({ name, local }) => (used.has(local) ? [`${local} as ${name}`] : []));
        cut.overwrite(start, end, `export { ${kept.join(', ')} };`);
      }
      return { code: cut };
    },
  };
}

/** The name of a function, class or variable; '' for any other statement, which is kept. */
function declaredIn(text: string): string {
  return /^(?:(?:async )?function\*?|class|let|const|var) ([\w$]+)/.exec(text)?.[1] ?? '';
}

function exportedIn(text: string): readonly { readonly name: string; readonly local: string }[] {
  return [...text.matchAll(/([\w$]+)(?: as ([\w$]+))?(?=[, ])/g)]
    .slice(1)
    .map(([, local = '', name = local]) => ({ local, name }));
}

/** All names after `v.`, the name under which each file imports the library. */
function namedInSources(): ReadonlySet<string> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const texts = files.map((path) => readFileSync(join(sources, path), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\bv\.(\w+)/g)].map(([, name = '']) => name)));
}

/** The names, and transitively those that their declarations contain. May include unused ones, never omits a used one. */
function closureOf(names: readonly string[], texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [word] of texts.get(name)?.matchAll(/[\w$]+/g) ?? []) visit(word);
  };
  names.forEach(visit);
  return found;
}
