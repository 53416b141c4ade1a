import { type Plugin, RolldownMagicString } from 'rolldown';

/** `let node_tls = require("node:tls");`, and on the next line the interop of its default import. */
const required = /^let (node_\w+) = require\("(node:[a-z0-9_/]+)"\);$/gm;

/**
 * Requires each builtin module of Node at its first use, because most runs need few of them, and some cost
 * milliseconds. `node_tls.connect` in a chunk becomes `node_tls().connect`.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    renderChunk(code) {
      const text = new RolldownMagicString(code);
      for (const [line, name = '', id] of code.matchAll(required)) {
        // A package may use the same name for something else.
        if ([...code.matchAll(new RegExp(`(?:var|let|const) ${name}\\b`, 'g'))].length > 1) continue;
        const start = code.indexOf(line);
        const [made = '', makeDefault = '', mode = ''] =
          new RegExp(`^${name} = (\\S+)\\(${name}((?:, 1)?)\\);$`, 'm').exec(code) ?? [];
        const madeAt = made === '' ? -1 : code.indexOf(made);
        const value = `require("${id}")`;
        text.overwrite(
          start,
          start + line.length,
          `let ${name} = () => { const found = ${makeDefault}(${value}${mode}); ${name} = () => found; return found; };`,
        );
        if (madeAt !== -1) text.remove(madeAt, madeAt + made.length);
        for (const { index } of code.matchAll(new RegExp(`\\b${name}\\b`, 'g'))) {
          const isDefinition =
            (index >= start && index < start + line.length) ||
            (madeAt !== -1 && index >= madeAt && index < madeAt + made.length);
          if (isDefinition) continue;
          const isConstructed = code.startsWith('new ', index - 4);
          if (isConstructed) text.appendLeft(index, '(');
          text.appendLeft(index + name.length, isConstructed ? '())' : '()');
        }
      }
      return { code: text };
    },
  };
}
