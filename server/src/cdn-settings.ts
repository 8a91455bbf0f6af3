import { optional, setting } from './base/setting.ts'
import { headerList, webAddress } from './base/setting-kinds.ts'

/** How changes are told to a CDN: a part of the catalogue of settings. */
export const cdnSettings = {
  cdnPurgeUrl: optional({
    name: 'CDN_PURGE_URL',
    meaning:
      'Where to purge a CDN by `Surrogate-Key` after a change, such as `https://api.fastly.com/service/ID/purge`: see [purge a CDN](docs/guides/scale.md#purge-a-cdn). Private addresses are allowed.',
    kind: webAddress,
    shownDefault: 'off',
  }),
  cdnPurgeHeaders: setting({
    name: 'CDN_PURGE_HEADERS',
    meaning:
      'Headers for those requests, as `name=value`, comma-separated and percent-encoded, such as `Authorization=Bearer%20SECRET`. They are never logged.',
    kind: headerList,
    fallback: {} as Readonly<Record<string, string>>,
    shownDefault: 'none',
  }),
}
