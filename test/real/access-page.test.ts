import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fact } from '../../src/people/access-document.ts';
import { documentOf } from '../../src/people/facts.ts';
import { accessPage } from '../../src/people/page.ts';
import type { Finding } from '../../src/people/policy.ts';
import { openChromium } from './chromium.ts';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await openChromium();
  folder = await mkdtemp(join(tmpdir(), 'innctl-page-'));
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

const about = {
  made: '2026-11-23T08:00:00.000Z',
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  dialect: 'apaleo',
  actor: 'ana@example.com',
} as const;

const roles = ['FrontDesk', 'Housekeeping', 'Auditor', 'RevenueManager', 'ReservationManager'];

function hotel(index: number) {
  const number = 1 + (index % 240);
  return { property: `H${String(number).padStart(3, '0')}`, property_name: `Grand Hotel ${number}` };
}

/** People in all states: account admins, people at every property, at a few of them, and without any. */
function factsOf(people: number, hotels: number): readonly Fact[] {
  return Array.from({ length: people }, (_, index): readonly Fact[] => {
    const isAdmin = index % 90 === 0;
    const isUser = index % 10 !== 7;
    const person = {
      email: `person${String(index).padStart(3, '0')}@example.com`,
      name: isUser ? `Given ${index} Family ${index}` : '',
      state: isUser ? 'active' : 'invited',
      account_admin: isAdmin,
      mfa: index % 2 === 0,
      passkeys: null,
      source: isUser ? 'user' : 'invitation',
    } as const;
    const nowhere = { ...person, property: isAdmin ? '*' : null, property_name: '', roles: [] };
    if (isAdmin || index % 30 === 1) return [nowhere];
    const count = index % 40 === 2 ? hotels : Math.min(hotels, 1 + (index % 6));
    return Array.from({ length: count }, (__, at) => ({
      ...person,
      ...hotel((index * 13 + at) % hotels),
      roles: at % 9 === 4 ? null : roles.slice(at % 5, at % 7),
    }));
  }).flat();
}

const finding: Finding = {
  ...{ rule: 'mfa.required_for', email: 'person004@example.com', property: 'H001', result: 'unknown' },
  message: 'The service does not show MFA.',
  mend: 'innctl users get person004@example.com',
  ...{ line: 5, ran_out: '2026-10-31' },
};
const findings = [finding];
const excepted = [{ ...finding, until: '2027-01-31', reason: 'A new phone is on its way' }];

/** Opens a report as a file. @param requests collects all that the page asks for. */
async function open(
  facts: readonly Fact[],
  options: BrowserContextOptions = {},
  requests: string[] = [],
): Promise<Page> {
  const path = join(folder, 'access.html');
  const hotels = new Map(facts.map(({ property: id, property_name: name }) => [id, { id: id ?? '*', name }]));
  const properties = [...hotels.values()].filter(({ id }) => id !== '*');
  await writeFile(path, accessPage(documentOf(facts, properties, about), { findings, excepted }));
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => requests.push(message.text()));
  await page.goto(`file://${path}`);
  return page;
}

describe('700 people and 240 hotels', () => {
  let page: Page;
  const requests: string[] = [];

  beforeAll(async () => {
    page = await open(factsOf(700, 240), {}, requests);
  });

  afterAll(() => page.close());

  test('all of them are on the page, which is one file without a script', async () => {
    expect(await page.locator('.matrix thead th').count()).toBe(241);
    expect(await page.locator('.matrix tbody tr').count()).toBe(700);
    expect(await page.locator('#list + div tbody tr').count()).toBe(700);
    expect(await page.locator('script, link, img, iframe, object').count()).toBe(0);
    expect(requests).toEqual([`file://${join(folder, 'access.html')}`]);
  });

  test('head and first column stay in sight while the matrix scrolls', async () => {
    const seen = await page.locator('.wide:has(.matrix)').evaluate((matrix) => {
      matrix.scrollIntoView();
      matrix.scrollTo(3_000, 9_000);
      const { left, top } = matrix.getBoundingClientRect();
      const textAt = (x: number, y: number) =>
        matrix.ownerDocument.elementFromPoint(left + x, top + y).closest('th').textContent;
      return [matrix.scrollLeft, matrix.scrollTop, textAt(20, 10), textAt(600, 20), textAt(20, 300)];
    });

    expect(seen.slice(0, 3)).toEqual([3_000, 9_000, 'Person']);
    expect(seen[3]).toMatch(/^H\d{3}$/);
    expect(seen[4]).toMatch(/person\d{3}@example\.com/);
  });

  test('on paper there are pages with the whole list, and no wide matrix', async () => {
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 718, height: 1_000 });
    expect(await page.locator('.matrix').isVisible()).toBe(false);
    expect(
      await page
        .locator('.matrix th')
        .first()
        .evaluate((head) => head.computedStyleMap().get('position').toString()),
    ).toBe('static');
    expect(await widthOf(page)).toBeLessThanOrEqual(718);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(50);
  });
});

const standards = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test('axe-core finds nothing', async () => {
    const page = await open(factsOf(60, 12), { colorScheme });
    // Not a script element: the policy of the page would stop it.
    await page.evaluate(axe.source);
    const results = await page
      .locator('html')
      .evaluate((html, tags) => html.ownerDocument.defaultView.axe.run({ runOnly: tags }), standards);
    const { violations, passes } = results as axe.AxeResults;
    await page.close();

    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary])).toEqual([]);
    expect(passes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['color-contrast', 'scope-attr-valid', 'scrollable-region-focusable']),
    );
  });
});

describe('hostile names', () => {
  const hostile = [
    '</title></style></table></details><script>window.taken = 1</script>',
    '"><img src="http://127.0.0.1:9/taken" onerror="window.taken = 1">',
    "' onmouseover='window.taken = 1' style='position:fixed;inset:0",
    '&lt;b&gt; &amp; <!-- ]]>',
    '=HYPERLINK("http://127.0.0.1:9","x")',
    'javascript:window.taken=1',
    'evil\u202egnp.exe \u2066\u200b\u0000\u001b[31m',
    `z${'\u0300'.repeat(200)}`,
    'x'.repeat(10_000),
  ];
  const facts = hostile.map(
    (name, index): Fact => ({
      email: `${name}${index}`,
      name,
      subject_id: name,
      state: 'active',
      account_admin: index % 2 === 0,
      property: name,
      property_name: name,
      roles: [name],
      mfa: true,
      passkeys: true,
      invited_by: name,
      since: name,
      source: 'user',
    }),
  );

  test('are texts, and nothing is loaded or run', async () => {
    const requests: string[] = [];
    const page = await open(facts, {}, requests);
    const tags = await page.locator('*').evaluateAll((all) => all.map(({ localName }) => localName));
    const attributes = await page
      .locator('body *')
      .evaluateAll((all) => all.flatMap((each) => each.getAttributeNames()));
    const names = await page.locator('#list + div td:nth-child(2)').allTextContents();

    expect(new Set(tags)).toEqual(new Set(known.tags.split(' ')));
    expect(new Set(attributes)).toEqual(new Set(known.attributes.split(' ')));
    expect(names).toEqual([
      ...hostile.slice(0, 6),
      'evil\\u{202e}gnp.exe \\u{2066}\\u{200b}\\u{0}\\u{1b}[31m',
      ...hostile.slice(7),
    ]);
    expect(await isTaken(page)).toBe(false);
    expect(await widthOf(page)).toBe(1280);
    expect(requests).toHaveLength(1);
    await page.close();
  });

  test('would not even run if they were markup', async () => {
    const page = await open(facts);
    const failed = page.waitForEvent('requestfailed');
    await page.locator('body').evaluate((body) => {
      const script = body.ownerDocument.createElement('script');
      script.textContent = 'window.taken = 1';
      body.append(script);
      body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x" onerror="window.taken = 1">');
    });
    const reason = (await failed).failure()?.errorText;

    expect(reason).toBe('csp');
    expect(await isTaken(page)).toBe(false);
    await page.close();
  });
});

/** All that a page consists of. */
const known = {
  tags: 'html head meta title style body main h1 p bdi section h2 div table caption thead tr th tbody td span',
  attributes: 'aria-labelledby class id role scope style tabindex title',
};

/** The width of all that is on the page, which scrolls if that is more than the screen. */
function widthOf(page: Page): Promise<number> {
  return page.locator('html').evaluate((html) => html.scrollWidth);
}

/** Whether any script of a name ran. */
function isTaken(page: Page): Promise<boolean> {
  return page.locator('html').evaluate((html) => 'taken' in html.ownerDocument.defaultView);
}
