import { openEvidence } from '../../src/people/evidence.ts';

/** Writes evidence about one person `count` times, each as a command of its own, and says how far it is. */
const [, , folder = '', name = '', count = '1'] = process.argv;

for (let number = 1; number <= Number(count); number += 1) {
  const subject = { person: { email: `${name}@example.com` }, before: { enabled: true } };
  const evidence = await openEvidence(folder, { job: 'people offboard' }, [subject], {
    ...{ uid: process.geteuid?.(), now: Date.now, signal: new AbortController().signal, clean: String },
  });
  process.stdout.write(`begun ${number}\n`);
  evidence.finish({ ...subject, after: { enabled: false } });
  evidence.close();
  process.stdout.write(`${number}\n`);
}
