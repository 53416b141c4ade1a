import type { Session } from '../../cli/session.ts';
import type { EvidenceEnding, EvidenceJob, EvidenceSubject } from '../../people/evidence.ts';
import { openEvidence } from '../../people/evidence-folder.ts';
import { targetIn } from '../target.ts';

/**
 * Opens the evidence of a command, right before its first write. From here on the session keeps what it sends.
 *
 * @throws {CliError} like `openEvidence`; nothing was sent.
 */
export async function keepEvidence(folder: string, about: Omit<EvidenceJob, 'service'>, session: Session) {
  const { context, api } = session;
  const { identity_url, base_url, account } = await targetIn(session, { prune: false });
  const service = { identity_url, base_url, account, dialect: api.dialect.name };
  const { uid, clock, signal, redactor } = context;
  const options = { uid, now: clock.now, signal, clean: redactor.data };
  const evidence = await openEvidence(folder, { ...about, service }, options);
  const writes = session.keepWrites();
  return {
    ...evidence,
    finish: (subject: EvidenceSubject, ending: EvidenceEnding) => evidence.finish(subject, ending, writes),
  };
}
