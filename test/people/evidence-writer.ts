import { openEvidence } from '../../src/people/evidence-folder.ts';

/** Writes evidence about one person `count` times, each as a command of its own, and says how far it is. */
const [, , folder = '', name = '', count = '1'] = process.argv;

const job = {
  job: 'people offboard',
  service: { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox', dialect: 'contract' },
  actor: null,
};

for (let number = 1; number <= Number(count); number += 1) {
  const subject = { email: `${name}@example.com`, before: { enabled: true }, planned: [] };
  const evidence = await openEvidence(folder, job, {
    ...{ uid: process.geteuid?.(), now: Date.now, signal: new AbortController().signal, clean: String },
  });
  evidence.begin([subject]);
  process.stdout.write(`begun ${number}\n`);
  evidence.finish(subject, { after: { enabled: false }, verdicts: [], cannot_tell: [] }, []);
  evidence.close();
  process.stdout.write(`${number}\n`);
}
