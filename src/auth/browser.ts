import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

/** What surrounds a browser: the environment of the process itself, which a browser inherits, and its system. */
export interface Desktop {
  readonly env: Record<string, string | undefined>;
  readonly platform: NodeJS.Platform;
}

const LIMIT_MS = 3_000;

/**
 * Opens a page in the browser that INNCTL_BROWSER names, else BROWSER, else in the one of the desktop; `none` names none. Over SSH
 * and without a display the desktop is somewhere else. Nothing of the browser is waited for, and it writes nowhere.
 *
 * @param url https or http; nothing else is opened.
 * @returns whether one was started; never an error.
 */
export async function openInBrowser(url: string, desktop: Desktop): Promise<boolean> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return false;
  // As the parser writes it: without blanks, quotes and backslashes.
  const { href } = new URL(url);
  const named = browserNamed(desktop);
  if (named === 'none' || (named === undefined && !hasDesktop(desktop))) return false;
  try {
    return await (named === undefined
      ? withoutOurSecrets(desktop.env, () => openWithDesktop(href))
      : runCommand(named, href, desktop));
  } catch {
    return false;
  }
}

/** On Windows something stands in between that may take its time, or never answer. */
async function openWithDesktop(url: string): Promise<boolean> {
  const { default: open } = await import('open');
  const opening = open(url).then(() => true);
  return Promise.race([opening, wait(LIMIT_MS, false, { ref: false })]);
}

/** The library gives a browser the environment of this very process: our secrets are put back when it was started. */
async function withoutOurSecrets<Result>(
  env: Record<string, string | undefined>,
  work: () => Promise<Result>,
): Promise<Result> {
  const ours = Object.entries(env).filter(([name]) => !Object.hasOwn(withoutSecrets(env), name));
  for (const [name] of ours) delete env[name];
  try {
    return await work();
  } finally {
    Object.assign(env, Object.fromEntries(ours));
  }
}

function browserNamed({ env, platform }: Desktop): string | undefined {
  // BROWSER may name several.
  const [first] = (env['BROWSER'] ?? '').split(platform === 'win32' ? ';' : ':');
  return [env['INNCTL_BROWSER'], first].map((each = '') => each.trim()).find((each) => each !== '');
}

function hasDesktop({ env, platform }: Desktop): boolean {
  const has = (name: string) => (env[name] ?? '') !== '';
  if (has('SSH_CONNECTION') || has('SSH_TTY')) return false;
  return platform !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some(has);
}

/** The page is a word of its own, never part of what the shell reads; a command may say with `%s` where it belongs. */
function runCommand(command: string, url: string, { env, platform }: Desktop): Promise<boolean> {
  const options = { stdio: 'ignore', detached: true, env: withoutSecrets(env) } as const;
  const word = '"$1"';
  const text = command.includes('%s') ? command.replaceAll(/(["']?)%s\1/g, () => word) : `${command} ${word}`;
  return new Promise((resolve) => {
    const child =
      platform === 'win32' ? spawn(command, [url], options) : spawn('sh', ['-c', text, 'sh', url], options);
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}

function withoutSecrets(env: Desktop['env']): Record<string, string | undefined> {
  const { INNCTL_TOKEN: _, INNCTL_CLIENT_SECRET: __, ...others } = env;
  return others;
}
