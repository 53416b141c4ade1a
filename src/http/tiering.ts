import { setFlagsFromString } from 'node:v8';

/** As many bytes are run through before V8 makes faster code: more than any run reads. */
const FLAG = '--wasm-tiering-budget=1000000000';

/**
 * Has V8 leave undici's parser, which is WebAssembly, as it is compiled first. Otherwise it begins to make faster code of it
 * during the first answer, and Node waits for that at its end: longer than everything else takes together. What is read here
 * is too little ever to win that back.
 *
 * To be called before the parser is compiled, which is when the first connection stands, and not much earlier: with another
 * flag V8 takes no cached code any more, neither ours nor that of Node's own modules.
 */
export function keepParserAsItIs(): void {
  setFlagsFromString(FLAG);
}
