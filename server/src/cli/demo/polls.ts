import { resolve } from 'node:path'
import { DAY } from '../../base/clock.ts'
import aisle from './aisle.webp' with { type: 'file' }
import cat from './cat.webp' with { type: 'file' }
import cinnamonRoll from './cinnamon-roll.webp' with { type: 'file' }
import coffee from './coffee.webp' with { type: 'file' }
import croissant from './croissant.webp' with { type: 'file' }
import dog from './dog.webp' with { type: 'file' }
import mountains from './mountains.webp' with { type: 'file' }
import sea from './sea.webp' with { type: 'file' }
import tea from './tea.webp' with { type: 'file' }
import window from './window.webp' with { type: 'file' }

const pictures = { aisle, cat, 'cinnamon-roll': cinnamonRoll, coffee, croissant, dog, mountains, sea, tea, window }

type DemoPicture = keyof typeof pictures

export const demoPicturePath = (name: DemoPicture): string => resolve(import.meta.dir, pictures[name])

export interface DemoPoll {
  readonly slug: string
  readonly title: string
  readonly optionA: DemoOption
  readonly optionB: DemoOption
  readonly tags: readonly string[]
  /** The votes for A and for B that the demo starts with, so that results are visible at once. */
  readonly votes: readonly [a: number, b: number]
  readonly isClosed?: boolean
  readonly opensInMs?: number
}

interface DemoOption {
  readonly label: string
  readonly picture: DemoPicture
  readonly alt: string
}

export const DEMO_POLLS: readonly DemoPoll[] = [
  {
    slug: 'cat-or-dog',
    title: 'Cat or dog on the new mug?',
    optionA: { label: 'Cat', picture: 'cat', alt: 'A cream mug printed with the face of a ginger tabby cat.' },
    optionB: { label: 'Dog', picture: 'dog', alt: 'A cream mug printed with the face of a brown-eared dog.' },
    tags: ['shop'],
    votes: [0, 0],
    opensInMs: 7 * DAY,
  },
  {
    slug: 'croissant-or-cinnamon-roll',
    title: 'Croissant or cinnamon roll?',
    optionA: { label: 'Croissant', picture: 'croissant', alt: 'A golden croissant on a cream plate.' },
    optionB: { label: 'Cinnamon roll', picture: 'cinnamon-roll', alt: 'A cinnamon roll with white icing.' },
    tags: ['food', 'breakfast'],
    votes: [31, 44],
    isClosed: true,
  },
  {
    slug: 'mountains-or-sea',
    title: 'Mountains or sea?',
    optionA: { label: 'Mountains', picture: 'mountains', alt: 'Snow-capped mountains above green hills and pines.' },
    optionB: { label: 'Sea', picture: 'sea', alt: 'A sailing boat on rolling waves under the sun.' },
    tags: ['travel'],
    votes: [27, 33],
  },
  {
    slug: 'window-or-aisle',
    title: 'Window seat or aisle?',
    optionA: { label: 'Window', picture: 'window', alt: 'An aeroplane window with the wing and clouds outside.' },
    optionB: { label: 'Aisle', picture: 'aisle', alt: 'View down an aeroplane aisle between red seats.' },
    tags: ['travel'],
    votes: [40, 18],
  },
  {
    slug: 'tea-or-coffee',
    title: 'Tea or coffee?',
    optionA: { label: 'Tea', picture: 'tea', alt: 'A steaming cup of tea with a slice of lemon.' },
    optionB: { label: 'Coffee', picture: 'coffee', alt: 'A steaming mug of coffee with a heart in the foam.' },
    tags: ['drinks', 'breakfast'],
    votes: [22, 37],
  },
]

export const DEMO_CAMPAIGN = {
  title: 'Three quick ones',
  description: 'Before your order is ready.',
  polls: ['tea-or-coffee', 'window-or-aisle', 'mountains-or-sea'],
}
