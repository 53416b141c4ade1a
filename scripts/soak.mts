import { journalBytes, placesOf, placeText, survive, surviveInARow } from '../test/soak/ordeal.ts';

/**
 * Kills an apply of a thousand rows at 200 places and resumes it, the same with a lost journal, and kills
 * one apply a hundred times in a row. Arguments: how many places, how many times in a row, and the random seed of
 * the places; 0 skips a part.
 */
async function main([places = '200', times = '100', seed = '2026']: readonly string[]) {
  say(`The places come from the number ${seed}.`);
  const failures = (await killed(Number(places), Number(seed))) + (await killedInARow(Number(times)));
  say(failures === 0 ? 'Nothing twice, nothing lost.' : `${failures} failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** @returns the number of failures. */
async function killed(count: number, seed: number): Promise<number> {
  if (count === 0) return 0;
  const bytes = await journalBytes();
  const all = [...placesOf(count, seed, () => false), ...placesOf(count, seed + 1, () => true)];
  let failures = 0;
  for (const [index, place] of all.entries()) {
    const { problems, seconds } = await survive(place, bytes);
    if (problems.length > 0) failures += 1;
    const outcome = problems.length === 0 ? 'survived' : `FAILED\n  ${problems.slice(0, 20).join('\n  ')}`;
    say(`${index + 1} of ${all.length}, ${placeText(place)}: ${seconds.toFixed(1)} s, ${outcome}`);
  }
  return failures;
}

async function killedInARow(times: number): Promise<number> {
  if (times === 0) return 0;
  const problems = await surviveInARow(times);
  say(
    `Killed ${times} times in a row: ${problems.length === 0 ? 'survived' : problems.slice(0, 20).join('\n  ')}`,
  );
  return problems.length === 0 ? 0 : 1;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

await main(process.argv.slice(2));
