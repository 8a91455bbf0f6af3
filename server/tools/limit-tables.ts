import { settings } from '../src/config/settings.ts'
import { MOST_POINTS } from '../src/features/analytics/buckets.ts'
import { MOST_BYTES as MOST_STYLE_BYTES } from '../src/features/brands/themes/css/problems.ts'
import { MOST_THEME_BYTES } from '../src/features/brands/themes/update-theme.ts'
import { MOST_CAMPAIGNS } from '../src/features/campaigns/members.ts'
import { MOST_ASSET_BYTES } from '../src/features/uploads/tickets.ts'
import { MOST_WEBHOOKS } from '../src/features/webhooks/webhooks.ts'
import { MOST_PICTURE_BYTES, MOST_PIXELS } from '../src/files/pictures/container.ts'
import { LONGEST_KEY } from '../src/http/idempotency.ts'
import { DEEPEST, MOST_BODY_BYTES, MOST_VALUES } from '../src/http/json.ts'
import { type Limit, limits } from '../src/http/limits/limits.ts'
import { MOST_LIMIT, MOST_PARAMETERS } from '../src/http/paging.ts'
import { defaultOf, windowText } from './limit-words.ts'
import { markdownTable } from './made-text.ts'

export const rateLimitsTable = (): string =>
  markdownTable(
    ['limit', 'counts', 'for each', 'default', 'setting'],
    Object.values<Limit>(limits).map((limit) => [
      `\`${limit.policy}\``,
      limit.counts,
      limit.per,
      defaultOf(limit) === 0 ? 'unlimited' : `${defaultOf(limit)} ${windowText(limit)}`,
      'setting' in limit ? settingOf(limit) : 'none',
    ]),
  )

const settingOf = ({ setting, times }: Extract<Limit, { setting: unknown }>): string =>
  `${times ? `${times} × ` : ''}\`${settings[setting].name}\``

export const sizesTable = (): string =>
  markdownTable(
    ['what', 'at most', 'beyond'],
    [
      ['JSON body', bytes(MOST_BODY_BYTES), '413'],
      ['JSON body of a theme', bytes(MOST_THEME_BYTES), '413'],
      ['values in a JSON body', count(MOST_VALUES), '422'],
      ['levels of a JSON body', count(DEEPEST), '422'],
      ['query parameters', count(MOST_PARAMETERS), '422'],
      ['`limit` of a page', count(MOST_LIMIT), '400'],
      ['points of a timeline', count(MOST_POINTS), '422'],
      ['`X-Service-Idempotency-Key`', `${count(LONGEST_KEY)} characters`, '400'],
      ['picture of a poll', bytes(MOST_PICTURE_BYTES), '413, or 422 for its ticket'],
      ['picture of a brand', bytes(MOST_ASSET_BYTES), '422 for its ticket'],
      ['pixels of a picture', count(MOST_PIXELS), '422'],
      ['`customCss`', bytes(MOST_STYLE_BYTES), '422'],
      ['webhooks of a brand', count(MOST_WEBHOOKS), '422'],
      ['campaigns of a poll', count(MOST_CAMPAIGNS), '422'],
    ],
  )

const count = (value: number): string => value.toLocaleString('en-US')

const bytes = (value: number): string =>
  value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${count(value / 2 ** 10)} KiB`
