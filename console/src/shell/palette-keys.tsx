import { type HotkeyItem, useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../parts/lazy-part.ts'
import { useBrand } from '../session/brand.ts'
import { onOpenPalette } from './open-palette.ts'

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette)

/** The shortcuts of every page; `shortcuts` of the palette lists them. Their dialogs are loaded when they are wanted. */
export function PaletteKeys() {
  const { slug, mayEdit } = useBrand()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'finder' | 'shortcuts' | null>(null)
  const [isWanted, setIsWanted] = useState(false)
  const show = (dialog: 'finder' | 'shortcuts') => {
    setIsWanted(true)
    setShown(dialog)
  }
  useEffect(() =>
    onOpenPalette(() => {
      setIsWanted(true)
      setShown('finder')
    }),
  )
  useHotkeys(
    onLetter('mod+K', () => show('finder')),
    [],
  )
  useHotkeys([
    ['shift+?', () => show('shortcuts')],
    ...onLetter('N', () => {
      if (mayEdit && !isLayerOpen()) void navigate({ to: '/$brand/polls/new', params: { brand: slug } })
    }),
  ])
  if (!isWanted) return null
  return (
    <Suspense>
      <Palette shown={shown} onClose={() => setShown(null)} />
    </Suspense>
  )
}

/** By its place on the keyboard where the layout has no Latin letters, as those of Arabic, Hindi and Ukrainian. */
const onLetter = (keys: string, run: () => void): HotkeyItem[] => [
  [keys, run],
  [keys, ({ key }) => /^[a-z]$/i.test(key) || run(), { usePhysicalKeys: true }],
]

/** A dialog asks for an answer, which a letter must not leave behind, and a menu takes letters itself. */
const isLayerOpen = () => document.querySelector('[role=dialog], [role=menu]') !== null
