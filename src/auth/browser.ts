import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { withoutSecrets } from '../config/settings.ts';

/** The environment of this process, which a browser inherits, and the platform. */
type Desktop = Pick<NodeJS.Process, 'env' | 'platform'>;

const LIMIT_MS = 3_000;

/**
 * Opens a page in the browser of INNCTL_BROWSER, else of BROWSER, else in the default browser; `none` opens none. Over SSH or
 * without a display the default browser is not used. Does not wait for the browser, and discards its output.
 *
 * @param url https or http; nothing else is opened.
 * @returns whether a browser was started. Never rejects.
 */
export async function openInBrowser(url: string, desktop: Desktop): Promise<boolean> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return false;
  // The parser escapes blanks, quotes and backslashes.
  const { href } = new URL(url);
  const named = browserNamed(desktop);
  if (named === 'none' || (named === undefined && !hasDesktop(desktop))) return false;
  try {
    return await (named === undefined ? openWithDesktop(href, desktop) : runCommand(named, href, desktop));
  } catch {
    return false;
  }
}

/** The browser inherits the environment of this process, without our secrets. */
async function openWithDesktop(url: string, { env }: Desktop): Promise<boolean> {
  const { default: open } = await import('open');
  const kept = withoutSecrets(env);
  const ours = Object.entries(env).filter(([name]) => !Object.hasOwn(kept, name));
  for (const [name] of ours) delete env[name];
  try {
    // On Windows the launcher may be slow, or never answer.
    return await Promise.race([open(url).then(() => true), wait(LIMIT_MS, false, { ref: false })]);
  } finally {
    Object.assign(env, Object.fromEntries(ours));
  }
}

function browserNamed({ env, platform }: Desktop): string | undefined {
  // BROWSER may be a list.
  const [first] = (env['BROWSER'] ?? '').split(platform === 'win32' ? ';' : ':');
  return [env['INNCTL_BROWSER'], first].map((each = '') => each.trim()).find((each) => each !== '');
}

function hasDesktop({ env, platform }: Desktop): boolean {
  const has = (name: string) => (env[name] ?? '') !== '';
  if (has('SSH_CONNECTION') || has('SSH_TTY')) return false;
  return platform !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some(has);
}

/** The URL is passed as an argument, never as shell text; `%s` in the command marks its place. */
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
