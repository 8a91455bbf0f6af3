import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useBrand } from '../session/brand.ts'
import { onOpenPalette } from './open-palette.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })))

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
  useHotkeys([['mod+K', () => show('finder')]], [])
  useHotkeys([
    ['shift+?', () => show('shortcuts')],
    ['N', () => mayEdit && !isDialogOpen() && void navigate({ to: '/$brand/polls/new', params: { brand: slug } })],
  ])
  if (!isWanted) return null
  return (
    <Suspense>
      <Palette shown={shown} onClose={() => setShown(null)} />
    </Suspense>
  )
}

/** A dialog asks for an answer, which a letter must not leave behind. */
const isDialogOpen = () => document.querySelector('[role=dialog]') !== null
