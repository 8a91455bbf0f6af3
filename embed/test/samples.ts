import { readFileSync } from 'node:fs'
import '../src/languages/all-languages.ts'
import type { PollView, ThemeView } from '../src/poll-view.ts'

export const plainTheme: ThemeView = {
  radius: 'MD',
  density: 'COMFORTABLE',
  fontStack: 'SYSTEM',
  titlePlacement: 'ABOVE',
  labelPlacement: 'BELOW',
  labelAlign: 'START',
  elevation: 'LOW',
  hideWatermark: false,
  accent: null,
  background: null,
  foreground: null,
  logoLightUrl: null,
  logoDarkUrl: null,
}

export const wordsPoll: PollView = {
  id: '6f1f9c1e-8a52-4b7e-9d0c-1f5b1d0e7a11',
  title: 'Ship it now, or after lunch?',
  optionA: { label: 'Now', imageUrl: null, imageAlt: null },
  optionB: { label: 'After lunch', imageUrl: null, imageAlt: null },
  images: { combined: null },
  imageVariants: [],
  tallies: { optionA: 62, optionB: 38, total: 100 },
  status: 'open',
  brand: { name: 'Corner Café' },
}

export const SITE = 'https://polls.test'

export const picturesPoll: PollView = {
  ...wordsPoll,
  id: '0b7a2c44-5f0d-4a3b-8e6e-2d9f4c1a9b22',
  title: 'Tea or coffee?',
  optionA: { label: 'Tea', imageUrl: `${SITE}/tea.webp`, imageAlt: 'A cup of tea' },
  optionB: { label: 'Coffee', imageUrl: `${SITE}/coffee.webp`, imageAlt: 'A cup of coffee' },
  imageVariants: [
    { url: `${SITE}/tea.webp`, width: 640, slot: 'optionA' },
    { url: `${SITE}/coffee.webp`, width: 640, slot: 'optionB' },
  ],
}

/** The pictures of the demo. */
export const pictureBytes = (name: string): Buffer =>
  readFileSync(new URL(`../../server/src/cli/demo/${name}`, import.meta.url))
