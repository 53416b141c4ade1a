import { describe, expect, test } from 'vitest';
import { keys } from '../helpers/terminal.ts';
import { type Home, openHome } from './home.ts';
import { openScreen, type Screen } from './screen.ts';

/** test/golden/screens has the screens for each width; `vitest run --project bin -u` updates them. */
const screens = '../golden/screens';

/** A sequence of screens, each with its command line. */
interface Album {
  /** Runs innctl against the sandbox, lets `use` type into it, and keeps the last screen; `keep` keeps the current one. */
  shoot(line: string, use?: (screen: Screen, keep: () => void) => Promise<void>): Promise<void>;
  text(): string;
}

function openAlbum(home: Home, columns: number): Album {
  const pictures: string[] = [];
  return {
    async shoot(line, use) {
      const words = line.match(/"[^"]*"|\S+/g) ?? [];
      using screen = openScreen(home, ['--sandbox', ...words], { columns });
      const keep = () => pictures.push(`$ innctl --sandbox ${line}\n${withStablePort(screen.text())}`);
      await use?.(screen, keep);
      await screen.leaves();
      keep();
    },
    text: () => pictures.join('\n'),
  };
}

/** Each sandbox has a different port. */
function withStablePort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:50000');
}

describe.each([60, 80, 160])('at %i columns a terminal shows', (columns) => {
  test('prompts with searchable lists, a summary, and the result as one line', async () => {
    await using home = await openHome();
    const album = openAlbum(home, columns);

    await album.shoot('invite create', async (screen, keep) => {
      await screen.shows('? Role', 'type to search');
      screen.types('house');
      await screen.shows('Role house', '❯ Housekeeping', 'type to search');
      keep();
      screen.types(keys.enter);
      await screen.shows('E-mail address to invite');
      screen.types(`mia@example.com${keys.enter}`);
      await screen.shows('? Properties', 'VIE', 'tab or space toggles');
      screen.types(`${keys.space}${keys.down}${keys.down}${keys.space}`);
      await screen.shows('❯◉ VIE', '2 chosen: BER, VIE');
      keep();
      screen.types(keys.enter);
      await screen.shows('(y/N)');
      keep();
      screen.types(`y${keys.enter}`);
    });
    await album.shoot('properties create --like BER --city Kiel', async (screen, keep) => {
      for (const [question, answer] of [
        ['1 of 4 · Short code', 'KIE'],
        ['Name in English', 'Fjord Hotel'],
        ['Check-in time (15:00)', ''],
        ['Check-out time (11:00)', 'noon'],
        ['is not a time of day', '\u001512:00'],
      ] as const) {
        await screen.shows(question);
        screen.types(`${answer}${keys.enter}`);
      }
      await screen.shows('(y/N)');
      keep();
      screen.types(keys.ctrlC);
    });
    await album.shoot('properties update BER', async (screen, keep) => {
      await screen.shows('? Fields to change', '0 chosen');
      keep();
      screen.types(`city${keys.tab}`);
      await screen.shows('❯◉ City: Berlin', '1 chosen');
      screen.types(keys.enter);
      await screen.shows('? City (Berlin)');
      screen.types(`Potsdam${keys.enter}`);
      await screen.shows('(y/N)');
      keep();
      screen.types(`y${keys.enter}`);
    });
    await album.shoot('invitations delete mia@example.com', async (screen, keep) => {
      await screen.shows('(y/N)');
      keep();
      screen.types(keys.enter);
    });

    await expect(album.text()).toMatchFileSnapshot(`${screens}/prompts-${columns}.txt`);
  });
});
