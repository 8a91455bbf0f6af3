import type { ThemeView } from '../poll-view.ts'
import { type Html, html } from './html.ts'
import { isWebAddress } from './picture.ts'

interface Profile {
  readonly avatarUrl: string | null
  readonly description: string | null
  readonly place: string | null
}

interface BrandHead {
  readonly brandName: string
  readonly profile: Profile | null
  readonly theme: Pick<ThemeView, 'logoLightUrl' | 'logoDarkUrl'>
}

/** The head of a brand's own page: its picture and logo, its name, what it says of itself and where it is. */
export function renderBrandHead({ brandName, profile, theme }: BrandHead): Html {
  const light = [theme.logoLightUrl, theme.logoDarkUrl].find(isWebAddress)
  const dark = [theme.logoDarkUrl, theme.logoLightUrl].find(isWebAddress)
  const name = light && dark ? html`${logo(light, 'light', brandName)}${logo(dark, 'dark', brandName)}` : brandName
  return html`<header class="brand-head">${[
    profile?.avatarUrl && html`<img class="avatar" src="${profile.avatarUrl}" alt="" width="72" height="72">`,
    html`<h1 class="name" dir="auto">${name}</h1>`,
    profile?.description && html`<p class="about" dir="auto">${profile.description}</p>`,
    profile?.place && html`<p class="place" dir="auto">${profile.place}</p>`,
  ]}</header>`
}

/** Both are in the page, and its scheme shows one: only that one is loaded. */
const logo = (src: string, scheme: 'light' | 'dark', name: string): Html =>
  html`<img class="logo for-${scheme}" src="${src}" alt="${name}" loading="lazy">`
