import { textProblem } from './text.ts';

/**
 * Why a text is no JSON Pointer (RFC 6901) to a field that may be changed, as the end of a sentence; `undefined` when it
 * is one. Segments escape ~ as ~0 and / as ~1.
 */
export function pointerProblem(path: string): string | undefined {
  if (!/^(\/([^~/]|~[01])*)+$/.test(path)) {
    const meant = /^[\w/-]+$/.test(path) ? `: write /${path}` : '';
    return `is not a JSON Pointer such as /name/de (~ is written ~0, / in a name ~1)${meant}`;
  }
  return path.split('/').includes('__proto__') ? 'names what no record has' : textProblem(path);
}
