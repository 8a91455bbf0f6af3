import { CHOICE } from '../embed-site.ts'
import {
  COUNTED,
  campaign,
  choose,
  DARK,
  demo,
  element,
  FIELD,
  narrow,
  OPEN,
  page,
  RESULTS,
  type Shot,
  style,
  TALL,
  tossFor,
  voteByCode,
  voteFor,
  walkCampaign,
} from './shot.ts'

export const GROUPS: Readonly<Record<string, readonly Shot[]>> = {
  'Before a vote': [
    { name: 'open', title: 'open, with pictures', at: demo('tea-or-coffee'), until: OPEN },
    { name: 'open-dark', title: 'open, dark', at: demo('tea-or-coffee'), around: DARK, until: OPEN },
    { name: 'open-words', title: 'open, without pictures', at: page('words'), until: OPEN },
    { name: 'open-words-dark', title: 'the same, dark', at: page('words'), around: DARK, until: OPEN },
    { name: 'empty', title: 'nobody has voted', at: page('empty'), until: OPEN },
    { name: 'closing', title: 'it closes soon', at: page('closing'), until: 'time' },
    {
      name: 'focus',
      title: 'where the keyboard is',
      at: page('words'),
      act: (each) => each.locator(CHOICE.B).press('Shift'),
      until: '[data-option="B"]:focus-visible',
    },
    {
      name: 'results-offered',
      title: 'results before a vote are offered',
      at: page('before'),
      until: 'nav.before button',
    },
    {
      name: 'results-seen',
      title: 'results before a vote are shown',
      at: page('before'),
      act: (each) => each.getByRole('button', { name: 'Show results' }).click(),
      until: RESULTS,
    },
    { name: 'scheduled', title: 'it opens on a date', at: page('scheduled'), until: 'nav.before a' },
    {
      name: 'scheduled-pictures',
      title: 'it opens in days, with pictures',
      at: page('scheduledPictures'),
      until: 'nav.before a',
    },
    { name: 'countdown', title: 'it opens in hours', at: page('countdown'), until: 'nav.before a' },
  ],
  'The vote and its result': [
    ...[
      [60, 'the coin is tossed'],
      [190, 'the coin is at its highest'],
      [340, 'the coin falls, and the bars are nearly there'],
    ].map(
      ([atMs, title]): Shot => ({
        name: `toss-${atMs}`,
        title: `${title} (${atMs} ms)`,
        at: page('round'),
        around: { reducedMotion: 'no-preference' },
        act: tossFor(Number(atMs)),
        until: RESULTS,
      }),
    ),
    {
      name: 'still',
      title: 'the first frame for visitors with reduced motion',
      at: page('behind', '?hideAfter'),
      act: choose('A'),
      until: RESULTS,
    },
    { name: 'own-leads', title: 'the own choice leads', at: page('behind'), act: voteFor('A'), until: RESULTS },
    { name: 'own-behind', title: 'the own choice is behind', at: page('behind'), act: voteFor('B'), until: RESULTS },
    { name: 'results', title: 'with pictures', at: demo('mountains-or-sea'), act: voteFor('A'), until: RESULTS },
    {
      name: 'results-dark',
      title: 'with pictures, dark',
      at: demo('mountains-or-sea'),
      around: DARK,
      act: voteFor('B'),
      until: RESULTS,
    },
    {
      name: 'results-words-dark',
      title: 'without pictures, dark',
      at: page('words'),
      around: DARK,
      act: voteFor('A'),
      until: RESULTS,
    },
    { name: 'first', title: 'the first vote', at: page('empty'), act: voteFor('A'), until: 'em' },
    { name: 'only-one', title: 'alone on this side', at: page('onlyOne'), act: voteFor('A'), until: 'em' },
    { name: 'tie', title: 'a tie', at: page('tie'), act: voteFor('A'), until: 'em' },
    { name: 'one-apart', title: 'one vote apart', at: page('oneApart'), act: voteFor('A'), until: 'em' },
    { name: 'few', title: 'among the few', at: page('few'), act: voteFor('A'), until: 'em' },
    { name: 'most', title: 'a landslide', at: page('most'), act: voteFor('A'), until: 'em' },
    { name: 'round', title: 'a round number', at: page('round'), act: voteFor('B'), until: RESULTS },
    { name: 'bound', title: 'a share below the last decimal', at: page('bound'), act: voteFor('A'), until: RESULTS },
    {
      name: 'shared',
      title: 'the answer was copied',
      at: page('words'),
      act: async (each) => {
        await voteFor('A')(each)
        await each.locator('.share-answer').click()
      },
      until: '.is-told',
    },
    {
      name: 'after-close',
      title: 'voted, and the results come at the end',
      at: page('afterClose'),
      act: voteFor('A'),
      until: 'article[data-state="voted"]',
    },
    {
      name: 'never',
      title: 'voted, and the results stay private',
      at: page('never'),
      act: voteFor('A'),
      until: 'article[data-state="voted"]',
    },
  ],
  'A vote by code': [
    { name: 'code-asked', title: 'a field for the code', at: page('byCode'), until: FIELD },
    {
      name: 'code-missing',
      title: 'an answer was pressed without a code',
      at: page('byCode'),
      act: async (each) => {
        await each.locator(FIELD).waitFor()
        await choose('A')(each)
      },
      until: '.is-wrong',
    },
    {
      name: 'code-letter',
      title: 'a character that is in no code, dark',
      at: page('byCode'),
      around: DARK,
      act: (each) => each.locator(FIELD).fill('K7QM-2U'),
      until: '.is-wrong',
    },
    {
      name: 'code-ready',
      title: 'a complete code',
      at: page('byCode'),
      act: (each) => each.locator(FIELD).fill('k7qm 2f8x 9rta'),
      until: '.is-ready',
    },
    {
      name: 'code-invalid',
      title: 'the code does not work, in a system with few colours',
      at: page('byCode'),
      around: { forcedColors: 'active' },
      act: voteByCode,
      until: '.is-wrong',
    },
    {
      name: 'code-arabic',
      title: 'the same in Arabic',
      at: page('byCode', '?lang=ar'),
      act: voteByCode,
      until: '.is-wrong',
    },
    {
      name: 'kiosk',
      title: 'a kiosk, eight seconds before the next person',
      at: page('byCode', '?kiosk'),
      act: async (each) => {
        // Without the live counts, which are those of a poll without votes.
        await each.route('**/tallies/stream*', (route) => route.abort())
        await each.route('**/votes', (route) => route.fulfill({ status: 201, json: { data: COUNTED } }))
        await voteByCode(each)
      },
      until: '.is-next',
    },
    {
      name: 'code-narrow',
      title: 'the field, 160 pixels wide',
      at: element('byCode'),
      sizes: [[176, 740]],
      act: voteByCode,
      until: '.is-wrong',
    },
  ],
  'At the end': [
    { name: 'closed', title: 'closed', at: demo('croissant-or-cinnamon-roll'), until: '.winner' },
    { name: 'closed-words', title: 'closed, without pictures', at: page('closedWords'), until: '.winner' },
    {
      name: 'closed-words-dark',
      title: 'closed, without pictures, dark',
      at: page('closedWords'),
      around: DARK,
      until: '.winner',
    },
    { name: 'closed-tie', title: 'closed in a tie', at: page('closedTie'), until: RESULTS },
    {
      name: 'closed-tie-pictures',
      title: 'closed in a tie, with pictures',
      at: page('closedTiePictures'),
      until: RESULTS,
    },
    { name: 'closed-empty', title: 'closed, and nobody voted', at: page('closedEmpty'), until: RESULTS },
    {
      name: 'closed-hidden',
      title: 'closed, and the results stay private',
      at: page('closedHidden'),
      until: 'article[data-state="closed"]',
    },
  ],
  'Pictures and labels': [
    { name: 'one-picture', title: 'a picture on one side', at: page('onePicture'), until: OPEN },
    {
      name: 'one-picture-results',
      title: 'the same with its result',
      at: page('onePicture'),
      act: voteFor('B'),
      until: RESULTS,
    },
    { name: 'transparent', title: 'pictures with transparent parts', at: page('transparent'), until: OPEN },
    {
      name: 'transparent-dark',
      title: 'the same with a result, dark',
      at: page('transparent'),
      around: DARK,
      act: voteFor('A'),
      until: RESULTS,
    },
    { name: 'contain', title: '`fit: contain`', at: page('contain'), until: OPEN },
    { name: 'focal-point', title: 'a focal point', at: page('focus'), until: OPEN },
    { name: 'overlay', title: 'labels on the pictures', at: page('overlay'), until: OPEN },
    {
      name: 'overlay-results',
      title: 'the same with a result',
      at: page('overlay'),
      act: voteFor('A'),
      until: RESULTS,
    },
    { name: 'hidden-labels', title: 'labels out of sight', at: page('hidden'), act: voteFor('A'), until: RESULTS },
    { name: 'emoji', title: 'emoji as labels', at: page('emoji'), until: OPEN },
    { name: 'emoji-results', title: 'the same with a result', at: page('emoji'), act: voteFor('A'), until: RESULTS },
    {
      name: 'long-labels',
      title: 'long words, in two directions',
      at: page('long'),
      act: voteFor('A'),
      until: RESULTS,
    },
  ],
  Languages: [
    { name: 'arabic', title: 'Arabic, from right to left', at: page('arabic', '?lang=ar'), until: OPEN },
    {
      name: 'arabic-results',
      title: 'the same with a result',
      at: page('arabic', '?lang=ar'),
      act: voteFor('B'),
      until: RESULTS,
    },
    { name: 'hindi', title: 'Hindi', at: page('hindi', '?lang=hi'), act: voteFor('A'), until: RESULTS },
    { name: 'japanese', title: 'Japanese', at: page('japanese', '?lang=ja'), act: voteFor('A'), until: RESULTS },
    {
      name: 'german',
      title: 'German, with long words',
      at: page('german', '?lang=de'),
      act: voteFor('A'),
      until: RESULTS,
    },
  ],
  'Brands and visitors': [
    { name: 'yellow', title: 'a yellow accent', at: page('yellow'), until: OPEN },
    { name: 'yellow-results', title: 'the same with a result', at: page('yellow'), act: voteFor('A'), until: RESULTS },
    {
      name: 'midnight',
      title: 'colours and corners of a brand',
      at: page('midnight'),
      act: voteFor('A'),
      until: RESULTS,
    },
    { name: 'css', title: 'a stylesheet of a brand', at: page('css'), act: voteFor('A'), until: RESULTS },
    {
      name: 'host',
      title: '`colorScheme: HOST` on a dark page with another font',
      at: element('host'),
      act: async (each) => {
        await style({ body: { backgroundColor: '#101014', color: '#eee', fontFamily: 'Georgia, serif' } })(each)
        await voteFor('A')(each)
      },
      until: RESULTS,
    },
    {
      name: 'forced-colours',
      title: 'a system with few colours',
      at: page('words'),
      around: { forcedColors: 'active' },
      act: voteFor('A'),
      until: RESULTS,
    },
    {
      name: 'forced-colours-pictures',
      title: 'the same with pictures, dark',
      at: demo('tea-or-coffee'),
      around: { forcedColors: 'active', ...DARK },
      act: voteFor('A'),
      until: RESULTS,
    },
  ],
  'Room to stand in': [
    { name: 'narrow-240', title: '240 pixels wide', ...narrow(240) },
    { name: 'narrow-200', title: '200 pixels wide', ...narrow(200) },
    { name: 'narrow-160', title: '160 pixels wide', ...narrow(160) },
    {
      name: 'halves',
      title: 'two polls beside each other',
      at: (scenes) => `<main>${element('tie')(scenes)}${element('contain')(scenes)}</main>`,
      act: async (each) => {
        await style({ main: { display: 'flex', gap: '8px', alignItems: 'start' } })(each)
        await choose('A')(each)
      },
      until: RESULTS,
    },
    {
      name: 'landscape',
      title: 'a phone on its side',
      at: demo('tea-or-coffee'),
      sizes: [
        [740, 360],
        [667, 375],
      ],
      until: OPEN,
    },
    {
      name: 'landscape-results',
      title: 'the same with a result',
      at: demo('window-or-aisle'),
      sizes: [
        [740, 360],
        [667, 375],
      ],
      act: voteFor('A'),
      until: RESULTS,
    },
    {
      name: 'landscape-words',
      title: 'the same without pictures',
      at: page('words'),
      sizes: [
        [740, 360],
        [667, 375],
      ],
      act: voteFor('A'),
      until: RESULTS,
    },
  ],
  'Several polls': [
    { name: 'campaign', title: 'the first step of a campaign', at: campaign, until: '.steps' },
    { name: 'campaign-voted', title: 'its result, and the way on', at: campaign, act: choose('A'), until: '.go-on' },
    {
      name: 'campaign-middle',
      title: 'a step in the middle',
      at: campaign,
      act: (each) => walkCampaign(each, 1),
      until: '.go-back',
    },
    {
      name: 'campaign-back',
      title: 'back at an earlier step',
      at: campaign,
      act: async (each) => {
        await walkCampaign(each, 2)
        await each.locator('.go-back').click()
      },
      until: '.go-on',
    },
    {
      name: 'campaign-end',
      title: 'the end of a campaign',
      at: campaign,
      sizes: TALL,
      act: (each) => walkCampaign(each, 3),
      until: '.steps-majority',
    },
    {
      name: 'feed',
      title: 'a feed on a page of another site',
      at: () => '<tossup-feed brand="corner-cafe"></tossup-feed>',
      sizes: TALL,
      act: choose('A'),
      until: RESULTS,
    },
    { name: 'brand', title: 'the page of a brand', at: () => '/b/corner-cafe', sizes: TALL, until: OPEN },
    {
      name: 'brand-arabic-dark',
      title: 'the same in Arabic, dark',
      at: () => '/b/corner-cafe?lang=ar',
      around: DARK,
      sizes: TALL,
      until: OPEN,
    },
    { name: 'no-polls', title: 'a brand without polls', at: ({ emptyBrand }) => `/b/${emptyBrand}`, until: '.nothing' },
  ],
  'Frames and failures': [
    { name: 'frame', title: 'a frame, dark', at: () => '/embed/poll/tea-or-coffee?theme=dark', until: 'article' },
    {
      name: 'frame-without-storage',
      title: 'a frame that cannot remember a vote',
      at: ({ words }) =>
        `<iframe sandbox="allow-scripts" width="374" height="470" frameborder="0" src="/embed/poll/${words}"></iframe>`,
      until: 'iframe',
    },
    {
      name: 'loading',
      title: 'an element that is loading',
      at: element('words'),
      act: async (each) => {
        await each.route('**/rest/v1/polls/*', () => undefined)
        await each.reload()
      },
      until: '.waiting',
    },
    {
      name: 'offline',
      title: 'voted without a network',
      at: demo('tea-or-coffee'),
      act: async (each, site) => {
        await each.locator(CHOICE.A).waitFor()
        await site.context.setOffline(true)
        await choose('A')(each)
      },
      until: 'article[data-state="waiting"]',
    },
    {
      name: 'not-sent',
      title: 'voted, and the service cannot be reached',
      at: page('words'),
      act: async (each) => {
        await each.route('**/votes', (route) => route.abort())
        await choose('A')(each)
      },
      until: '.retry',
    },
    {
      name: 'not-loaded',
      title: 'an element that could not be loaded',
      at: element('words'),
      act: async (each) => {
        await each.route('**/rest/v1/polls/*', (route) => route.abort())
        await each.reload()
      },
      until: '.retry',
    },
    {
      name: 'gone',
      title: 'an element for a poll that is not there',
      at: () => '<tossup-poll poll="not-there"></tossup-poll>',
      until: '[role="alert"]',
    },
    { name: 'missing-page', title: 'a page that is not there', at: demo('not-there'), until: 'main > .status' },
  ],
}

export const SHOTS: readonly Shot[] = Object.values(GROUPS).flat()
