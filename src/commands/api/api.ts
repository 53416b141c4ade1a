import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { invalidInput } from '../../errors.ts';
import { withSession } from '../../session.ts';
import { unlessIgnored } from '../ignore-not-found.ts';
import { inDoubt } from '../settle.ts';
import { accessProblems, withAccessFlags } from '../users/access.ts';
import { mindPeople } from './access.ts';
import { consentTo, permitWhole } from './consent.ts';
import type { FieldFlag } from './fields.ts';
import { requestFrom } from './request.ts';
import { showAnswer, showPages } from './show.ts';
import { settling } from './unknown.ts';

/**
 * `api <method> <path>`: one request as it is typed, sent with the profile's credentials, retries and guard rails.
 *
 * Units, unit groups and whatever else the contract only names can be reached with it. Nothing is renamed.
 */
export function apiCommand(context: Context) {
  // The two flags share one list, so that the order in which they are typed is kept.
  const fields: FieldFlag[] = [];
  const collectFor = (flag: FieldFlag['flag']) => (text: string) => {
    fields.push({ flag, text });
    return fields;
  };
  const command = new DescribedCommand('api', {
    effect: 'destroys',
    on: 'service',
    examples: [
      'api GET /inventory/v1/properties',
      'api GET /inventory/v1/unit-groups -f property_id=BER --paginate',
      'api PATCH /inventory/v1/properties/BER --input patch.json',
      'api PUT /inventory/v1/property-actions/MUC/archive --confirm MUC',
    ],
  })
    .summary('send any request to the service')
    .description(
      'Send any request to the service, with the credentials of the profile. Paths under /api/ go to the ' +
        'identity URL, all others to the base URL. Fields are the query of GET, HEAD and DELETE, and of ' +
        'a request with --input; otherwise they are the JSON body. Prints JSON in every format, under ' +
        'ndjson a line for each entry. A write needs the consent that its own command would ask for, and what ' +
        'destroys always does; guard rails hold.',
    )
    .usage('[options] <method> <path>')
    .argument('<method>', 'GET, HEAD, POST, PUT, PATCH or DELETE')
    .argument('[path]', 'what follows the host: /inventory/v1/units?floor=2')
    .option(
      '-f, --raw-field <name=value>',
      'a field that is a text; names nest: a[b]=1, list[]=x (repeatable)',
      collectFor('--raw-field'),
    )
    .option(
      '-F, --field <name=value>',
      'a field that is true, false, null, a number, JSON, or @file, else a text (repeatable)',
      collectFor('--field'),
    )
    .option('--input <file>', 'send this JSON as the body, as it is; - is stdin')
    .option('-i, --include', 'show status and headers of the answer as well')
    .option('--paginate', 'fetch every page of a list, as one document')
    .option('--idempotency-key <key>', 'key of a POST: the same key never creates twice')
    .option('--ignore-not-found', 'with DELETE: end with 0 where nothing is there to delete');
  return withAccessFlags(
    command,
    'consent to what destroys, disables or sets live: the id in the path once more',
  ).action(
    withSession(context, async (session, method, path, options) => {
      const { api, out } = session;
      const wrong = accessProblems(options);
      if (wrong.length > 0) throw invalidInput(wrong);
      const typed = { ...options, method, path, fields };
      const raw = await requestFrom(typed, api.raw, context);
      const isTrusted = api.trustsKeys || typed.idempotencyKey !== undefined;
      const request = raw.method === 'POST' && !isTrusted ? { ...raw, leavesDoubt: true } : raw;
      await permitWhole(request, session);
      await mindPeople(request, options, session);
      await consentTo(request, options.confirm, session);
      if (options.paginate === true) {
        await showPages(await api.raw.pages(request), out);
        return;
      }
      const send = async () => {
        const answer = await api.raw.send(request).catch(inDoubt(settling(request, typed, session)));
        await showAnswer(request, answer, options.include === true, out);
      };
      const missing = () => out.done(`${request.method} ${request.path}: nothing is there.`, { status: 404 });
      await send().catch(unlessIgnored(options.ignoreNotFound, missing));
    }),
  );
}
