import { randomInt, randomUUID } from 'node:crypto';
import { escapeHtml, pageHeaders, webPage } from '../print/web-page.ts';
import type { Answer, Outcome } from './call.ts';
import { DECISION_MS, INTERVAL_SECONDS, liveGrant, putGrant } from './grants.ts';
import { readText } from './http.ts';
import { oauthPaths, readForm, urlAt } from './oauth.ts';
import type { GrantRecord, Records, UserRecord } from './records.ts';
import type { Exchange, Service } from './run-operation.ts';
import { CLIENT_ID, issueTicket, seal, unseal } from './tokens.ts';

/** A login in the browser, as its page asks a person to allow it. */
interface BrowserRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly challenge: string;
  readonly scope: string;
}

/** What a page asks a person to allow: a login with a code is stored already. */
type Request = BrowserRequest | { readonly grant: string };

/** GET /connect/authorize (RFC 6749, 4.1.1): asks who logs in. Only an answer to a known redirect URL leaves the sandbox. */
export function askToAuthorize({ store, now }: Service, { req, env }: Exchange): Answer {
  const asked = new URL(req.url).searchParams;
  const single = (name: string) => (asked.getAll(name).length === 1 ? asked.get(name) : null);
  const redirectUri = single('redirect_uri') ?? '';
  if (single('client_id') !== CLIENT_ID) return failure(`The client id of the sandbox is ${CLIENT_ID}.`);
  if (!isRedirect(redirectUri)) return failure('The redirect URL must be http://127.0.0.1:<port>/callback.');
  const challenge = single('code_challenge') ?? '';
  const state = asked.get('state');
  const error = errorIn(asked, challenge);
  if (error !== undefined) return redirect({ redirectUri, state }, { error }, env);
  const scope = usedScopes(asked.get('scope'));
  const { records, header } = store.read();
  const request = { redirectUri, state, challenge, scope };
  return question(sealed(request, now(), header.secret), scope, records, new URL(redirectUri).origin);
}

/** The redirect URL of the client, with any port (RFC 8252, 7.3). */
function isRedirect(url: string): boolean {
  return /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/callback$/.test(url) && URL.canParse(url);
}

function errorIn(asked: URLSearchParams, challenge: string): string | undefined {
  if (new Set(asked.keys()).size < asked.size) return 'invalid_request';
  if (asked.get('response_type') !== 'code')
    return asked.has('response_type') ? 'unsupported_response_type' : 'invalid_request';
  const isProof = asked.get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(challenge);
  return isProof ? undefined : 'invalid_request';
}

/** The scopes but those of ID tokens, which the sandbox does not issue; the answer with the tokens names them (RFC 6749, 3.3). */
function usedScopes(asked: string | null): string {
  const scopes = (asked ?? '')
    .split(' ')
    .filter((scope) => !['', 'openid', 'profile', 'email'].includes(scope));
  return [...new Set(scopes)].join(' ');
}

/** Twenty consonants: no code is a word (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** POST /connect/deviceauthorization (RFC 8628, 3.1). @throws {Refusal} with an OAuth error body. */
export async function authorizeDevice(service: Service, exchange: Exchange): Promise<Answer> {
  const { form, secret } = await readForm(service, exchange);
  const { store, now } = service;
  const page = urlAt(exchange.env.incoming.socket.localPort) + oauthPaths.devicePage;
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  const id = randomUUID();
  const scope = usedScopes(form.get('scope'));
  return store.write((records) => {
    const expires = now() + DECISION_MS;
    const grant: GrantRecord = { state: 'waiting', scope, round: 0, expires, user_code: letters };
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: {
        device_code: issueTicket('device_code', { id, round: 0 }, secret),
        user_code: code,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${code}`,
        expires_in: DECISION_MS / 1_000,
        interval: INTERVAL_SECONDS,
      },
      changes: putGrant(id, grant, { records, now: now() }),
    };
  });
}

/** GET /device: asks for the code, then who logs in. */
export function askForDevice({ store, now }: Service, { req }: Exchange): Answer {
  const typed = req.query('user_code');
  const { records, header } = store.read();
  const code = typed?.toUpperCase().replaceAll(/[^A-Z]/g, '');
  const found = [...records.grants].find(
    ([, { user_code, state, expires }]) => user_code === code && state === 'waiting' && expires > now(),
  );
  if (found !== undefined && typed !== undefined)
    return question(
      sealed({ grant: found[0] }, now(), header.secret),
      found[1].scope,
      records,
      undefined,
      typed,
    );
  const problem = typed === undefined ? '' : '<p role="alert">No login waits for this code.</p>';
  return page(
    typed === undefined ? 200 : 404,
    'Type the code of the terminal',
    'question',
    `${problem}
<form action="${oauthPaths.devicePage}">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<button>Continue</button>
</form>`,
  );
}

/** The page's form, posted: allows or denies. Who posts it has seen the page, for what it asks is signed. */
export async function decide({ store, now }: Service, { env }: Exchange): Promise<Answer> {
  const form = new URLSearchParams(await readText(env.incoming, ['application/x-www-form-urlencoded']));
  const { secret } = store.read().header;
  const { request } = unseal<{ readonly request?: Request }>(form.get('request') ?? '', now(), secret) ?? {};
  const decision = form.get('decision');
  if (request === undefined || (decision !== 'allow' && decision !== 'deny'))
    return failure('This page has expired, or was changed.');
  return store.write((records) => {
    const user = records.users.get(form.get('user') ?? '');
    if (decision === 'allow' && user?.enabled !== true) return failure('No enabled user was chosen.');
    const chosen = decision === 'allow' && user !== undefined ? user.subject_id : undefined;
    const at = { records, now: now() };
    return 'grant' in request
      ? decideDevice(request.grant, chosen, at)
      : decideBrowser(request, chosen, at, secret, env);
  });
}

type At = Parameters<typeof putGrant>[2];

function decideDevice(id: string, subject_id: string | undefined, at: At): Outcome {
  const grant = liveGrant(id, at);
  if (grant?.state !== 'waiting') return failure('No login waits for this code any more.');
  const decided: GrantRecord =
    subject_id === undefined ? { ...grant, state: 'denied' } : { ...grant, state: 'allowed', subject_id };
  const title = subject_id === undefined ? 'You denied the login' : 'You allowed the login';
  const body = '<p class="soft">You can close this window and go back to the terminal.</p>';
  return {
    ...page(200, title, subject_id === undefined ? 'bad' : 'good', body),
    changes: putGrant(id, decided, at),
  };
}

function decideBrowser(
  request: BrowserRequest,
  subject_id: string | undefined,
  at: At,
  secret: string,
  env: Exchange['env'],
): Outcome {
  if (subject_id === undefined) return redirect(request, { error: 'access_denied' }, env);
  const { redirectUri: redirect_uri, challenge, scope } = request;
  const id = randomUUID();
  const expires = at.now + DECISION_MS;
  const grant: GrantRecord = {
    state: 'allowed',
    scope,
    subject_id,
    round: 0,
    expires,
    redirect_uri,
    challenge,
  };
  const code = issueTicket('code', { id, round: 0 }, secret);
  return { ...redirect(request, { code }, env), changes: putGrant(id, grant, at) };
}

/** Sends the browser back, with the issuer (RFC 9207). */
function redirect(
  { redirectUri, state }: Pick<BrowserRequest, 'redirectUri' | 'state'>,
  result: Readonly<Record<string, string>>,
  { incoming }: Exchange['env'],
): Answer {
  const { 'content-type': _, ...headers } = pageHeaders();
  const answer = { ...result, ...(state === null ? {} : { state }), iss: urlAt(incoming.socket.localPort) };
  return { status: 303, headers: { ...headers, location: `${redirectUri}?${new URLSearchParams(answer)}` } };
}

function sealed(request: Request, now: number, secret: string): string {
  return seal({ request, expires: now + DECISION_MS }, secret);
}

/** Asks who logs in. @param code the one that the person compares with the terminal. */
function question(
  request: string,
  scope: string,
  { users }: Records,
  redirectOrigin?: string,
  code?: string,
): Answer {
  const options = [...users.values()].filter(({ enabled }) => enabled).map(optionOf);
  const compared =
    code === undefined ? '' : `<p>The terminal must show the code <code>${escapeHtml(code)}</code>.</p>`;
  const scopes = scope === '' ? '' : `<p class="soft">Scopes: ${escapeHtml(scope)}</p>`;
  const body = `<p>A program asks to act for a user of this sandbox.</p>
${compared}${scopes}
<form method="post" action="${redirectOrigin === undefined ? oauthPaths.devicePage : oauthPaths.authorizePage}">
<input type="hidden" name="request" value="${request}">
<label for="user">Log in as</label>
<select id="user" name="user">
${options.join('\n')}
</select>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`;
  // Browsers apply this to the redirect after the form, too.
  const targets = redirectOrigin === undefined ? "'self'" : `'self' ${redirectOrigin}`;
  return page(200, 'Log in to the sandbox', 'question', body, targets);
}

function optionOf({ subject_id, first_name, last_name, email }: UserRecord): string {
  const name = `${first_name} ${last_name} (${email})`.replaceAll(/\s+/g, ' ').trim();
  return `<option value="${escapeHtml(subject_id)}">${escapeHtml(name)}</option>`;
}

function failure(why: string): Answer {
  const body = `<p>${escapeHtml(why)}</p><p class="soft">Start again in the terminal.</p>`;
  return page(400, 'Not logged in', 'bad', body);
}

function page(
  status: number,
  title: string,
  kind: Parameters<typeof webPage>[1],
  body: string,
  formTargets = "'self'",
): Answer {
  // With `no-referrer`, browsers send the forms with `Origin: null`.
  const headers = { ...pageHeaders(formTargets), 'referrer-policy': 'same-origin' };
  return { status, headers, page: webPage(title, kind, body) };
}
