import { setEngineFlags } from '../engine.ts';

/** A budget would not do: V8 counts generously, and a thousand answers use up the largest. */
const PARSER_FLAGS = '--no-wasm-tier-up --no-wasm-dynamic-tiering';

/** How much code runs before V8 makes faster code of it; by itself it says 67584. */
const CODE_FLAGS = '--interrupt-budget=300000';

/**
 * Has V8 leave undici's parser, which is WebAssembly, as it is compiled first. Otherwise it begins to make faster code of it
 * during the first answer, and Node waits for that at its end: longer than everything else takes together. It takes 30 MB as
 * well, and not even ten thousand answers win back its time. And has it make faster code of the rest later: what it makes during
 * the first thousand requests is mostly thrown away again, and takes a quarter of their time.
 *
 * To be called before the parser is compiled, which is when the first connection stands, and not much earlier.
 */
export function compileLess(): void {
  setEngineFlags(PARSER_FLAGS);
  setEngineFlags(CODE_FLAGS, ['11']);
}
