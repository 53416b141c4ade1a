import { setImmediate } from 'node:timers/promises';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';

/** A run of the program in a process of its own, to be killed; the argument is its situation as JSON, stdout its result. */
const { words, now, ...situation } = JSON.parse(process.argv[2] ?? '{}');
const clock = { now };
const sleep = async (ms: number) => {
  clock.now += ms;
  await setImmediate();
};
const result = await cli(words, { ...situation, now: () => clock.now, connect: connectUndici, sleep });
process.stdout.write(JSON.stringify(result));
