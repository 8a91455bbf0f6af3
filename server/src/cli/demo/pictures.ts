import { resolve } from 'node:path'
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

export type DemoPicture = keyof typeof pictures

export const demoPicturePath = (name: DemoPicture): string => resolve(import.meta.dir, pictures[name])
