import { journalBytes, placesOf, placeText, survive, surviveInARow } from '../test/soak/ordeal.ts';

/**
 * Kills a seed of a thousand rows at 200 places and resumes it, the same with the journal lost on the way, and kills
 * one seed a hundred times in a row. The arguments: how many places, how many times in a row, and the number that
 * chooses the places.
 */
async function main([places = '200', times = '100', seed = '2026']: readonly string[]): Promise<void> {
  say(`The places come from the number ${seed}.`);
  const bytes = await journalBytes();
  const count = Number(places);
  const all = [
    ...placesOf(count, Number(seed), () => false),
    ...placesOf(count, Number(seed) + 1, () => true),
  ];
  let failures = 0;
  for (const [index, place] of all.entries()) {
    const { problems, seconds } = await survive(place, bytes);
    if (problems.length > 0) failures += 1;
    const outcome = problems.length === 0 ? 'survived' : `FAILED\n  ${problems.slice(0, 20).join('\n  ')}`;
    say(`${index + 1} of ${all.length}, ${placeText(place)}: ${seconds.toFixed(1)} s, ${outcome}`);
  }
  const problems = await surviveInARow(Number(times));
  say(
    `Killed ${times} times in a row: ${problems.length === 0 ? 'survived' : problems.slice(0, 20).join('\n  ')}`,
  );
  if (problems.length > 0) failures += 1;
  say(failures === 0 ? 'Nothing twice, nothing lost.' : `${failures} failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

await main(process.argv.slice(2));
