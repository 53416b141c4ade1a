import type { DevicePage } from '../../auth/device-login.ts';
import type { WebPage } from '../../auth/web-login.ts';
import type { Output } from '../../render/output.ts';

/** Says where to log in; on another machine the browser cannot come back without a tunnel. */
export async function tellWeb({ url, isOpened, port }: WebPage, { note }: Output): Promise<void> {
  await note(isOpened ? 'Log in with the browser that was opened, or at this page:' : 'Log in at this page:');
  await note(`  ${url}`);
  if (!isOpened) {
    await note(
      `On another machine than this one? innctl login --device, or first there: ssh -L ${port}:127.0.0.1:${port} <this machine>`,
    );
  }
  await note('Waiting for the browser; ^C ends it.');
}

/** Says where to type which code. */
export async function tellDevice(
  { url, code, completeUrl, isOpened, lifetimeMs }: DevicePage,
  { note }: Output,
): Promise<void> {
  await note(`On any device, open ${url} and type the code ${code}`);
  if (completeUrl !== undefined) await note(`The same with the code filled in: ${completeUrl}`);
  if (isOpened) await note('It is open in the browser of this machine.');
  await note(`Waiting for up to ${Math.round(lifetimeMs / 60_000)} min; ^C ends it.`);
}
