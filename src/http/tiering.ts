import { setFlagsFromString } from 'node:v8';

/** A budget would not do: V8 counts generously, and a thousand answers use up the largest. */
const FLAGS = '--no-wasm-tier-up --no-wasm-dynamic-tiering';

/**
 * Has V8 leave undici's parser, which is WebAssembly, as it is compiled first. Otherwise it begins to make faster code of it
 * during the first answer, and Node waits for that at its end: longer than everything else takes together. It takes 30 MB as
 * well, and not even ten thousand answers win back its time.
 *
 * To be called before the parser is compiled, which is when the first connection stands, and not much earlier: with another
 * flag V8 takes no cached code any more, neither ours nor that of Node's own modules.
 */
export function keepParserAsItIs(): void {
  setFlagsFromString(FLAGS);
}
