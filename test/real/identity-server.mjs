/**
 * oidc-provider with accounts, clients and plain pages that load nothing from other hosts; and at the same address a
 * service that accepts only active tokens of that server.
 *
 * `node identity-server.mjs options.json`: identity.ts has the types of the options and of the log.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const options = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { port, issuer, service, accounts, clients, scopes, tokenSeconds, uses, log } = options;

const provider = new Provider(issuer, {
  clients,
  scopes,
  claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
  cookies: { keys: ['keys of the cookies of the hotels'] },
  findAccount: (_, id) => {
    const account = accounts.find(({ subject }) => subject === id);
    return (
      account && {
        accountId: id,
        claims: () => ({ sub: id, email: account.email, email_verified: true, name: account.name }),
      }
    );
  },
  // Puts the claims into the ID token, too, not only into the response of the user info endpoint.
  conformIdTokenClaims: false,
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  ttl: {
    AccessToken: tokenSeconds,
    ClientCredentials: tokenSeconds,
    DeviceCode: 600,
    RefreshToken: 86_400,
    Interaction: 600,
    Grant: 86_400,
    IdToken: 3600,
    Session: 86_400,
  },
  routes: {
    authorization: '/connect/authorize',
    token: '/connect/token',
    device_authorization: '/connect/deviceauthorization',
    code_verification: '/device',
    revocation: '/connect/revocation',
    userinfo: '/connect/userinfo',
    jwks: '/connect/jwks',
  },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  renderError: (ctx, { error, error_description: description }) => {
    ctx.type = 'html';
    ctx.body = page('Something is wrong', `<p>${escaped(error)}: ${escaped(description ?? '')}</p>`);
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (ctx, form, _, error) => {
        const wrong = error === undefined ? '' : `<p>${escaped(error.message)}</p>`;
        const button = '<button type="submit" form="op.deviceInputForm">Continue</button>';
        ctx.body = page('Enter the code', `${wrong}${form}${button}`);
      },
      userCodeConfirmSource: (ctx, form, client, _, code) => {
        const buttons = `<button type="submit" form="op.deviceConfirmForm">Confirm</button>
          <button type="submit" form="op.deviceConfirmForm" value="yes" name="abort">Cancel</button>`;
        ctx.body = page('Is this your code?', `<p>${code} of ${client.clientId}</p>${form}${buttons}`);
      },
      successSource: (ctx) => {
        ctx.body = page('Done', '<p>You can close this page.</p>');
      },
    },
  },
});

const noted = new Map([
  ['/connect/token', 'token'],
  ['/connect/revocation', 'revocation'],
  ['/connect/deviceauthorization', 'device'],
]);

provider.use(async (ctx, next) => {
  await next();
  const route = noted.get(ctx.path);
  if (route === undefined) return;
  const form = ctx.oidc?.body ?? {};
  note({
    route,
    status: ctx.status,
    error: ctx.body?.error,
    grant: form.grant_type,
    client: ctx.oidc?.client?.clientId,
    auth: ctx.headers.authorization?.split(' ')[0] ?? (form.client_secret === undefined ? 'none' : 'post'),
    token: digest(form.refresh_token ?? form.token),
  });
});

function note(entry) {
  appendFileSync(log, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);
}

function digest(token) {
  return token && createHash('sha256').update(token).digest('hex');
}

async function interact(request, response) {
  const { prompt, params, session, grantId, uid } = await provider.interactionDetails(request, response);
  const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  const show = (title, body) => {
    const cancel = '<button type="submit" name="cancel" value="yes" formnovalidate>Cancel</button>';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(page(title, `<form method="post" action="/interaction/${uid}">${body} ${cancel}</form>`));
  };
  const finish = (result) => provider.interactionFinished(request, response, result);
  if (form.has('cancel'))
    return finish({ error: 'access_denied', error_description: 'The person cancelled' });
  if (prompt.name === 'login') {
    const account = accounts.find(({ email, password }) => {
      return email === form.get('login') && password === form.get('password');
    });
    if (account !== undefined) return finish({ login: { accountId: account.subject } });
    const wrong = request.method === 'POST' ? '<p>That is not right.</p>' : '';
    const fields = `<input name="login" placeholder="Mail address" required>
      <input name="password" type="password" placeholder="Password" required>`;
    return show('Log in', `${wrong}${fields}<button type="submit" name="submit">Log in</button>`);
  }
  if (request.method === 'POST') {
    const { missingOIDCScope = [], missingOIDCClaims = [] } = prompt.details;
    const known = grantId && (await provider.Grant.find(grantId));
    const grant = known ?? new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(missingOIDCScope.join(' '));
    grant.addOIDCClaims(missingOIDCClaims);
    return finish({ consent: { grantId: await grant.save() } });
  }
  const asked = `${escaped(params.client_id)} asks for ${escaped(params.scope ?? 'nothing')}`;
  return show('Allow access', `<p>${asked}.</p><button type="submit" name="submit">Allow</button>`);
}

/** How often each token was sent to the service. */
const used = new Map();

/** The account of an active token, or its client. */
async function holderOf(authorization = '') {
  const token = authorization.replace(/^Bearer /, '');
  const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  if (!found?.isValid) return undefined;
  used.set(token, (used.get(token) ?? 0) + 1);
  if (used.get(token) > uses) {
    await found.destroy();
    return undefined;
  }
  if (found.grantId === undefined) return found.clientId;
  return (await provider.Grant.find(found.grantId)) && found.accountId;
}

async function serve(request, response) {
  const { method, url, headers } = request;
  const account = await holderOf(headers.authorization);
  if (account === undefined) {
    note({ route: 'service', method, path: url, status: 401 });
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' });
    response.end('{"error":"invalid_token"}');
    return;
  }
  const { authorization: _, ...others } = headers;
  const passed = ask(new URL(url, service), { method, headers: others }, (answer) => {
    note({ route: 'service', method, path: url, status: answer.statusCode });
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
}

function page(title, body) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
    <link rel="icon" href="data:,"></head><body><h1>${title}</h1>${body}</body></html>`;
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const answerOAuth = provider.callback();

function answer(request, response) {
  const { pathname } = new URL(request.url, issuer);
  if (/^\/(api|inventory)\//.test(pathname)) return serve(request, response);
  if (!pathname.startsWith('/interaction/')) return answerOAuth(request, response);
  return interact(request, response).catch((error) => {
    response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error));
  });
}

createServer(answer).listen(port, '127.0.0.1');
