import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useEffect, useState } from 'react'
import { onOpenPalette } from './open-palette.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })))

/** ⌘K finds anything; `?` shows the shortcuts. Their dialogs are loaded when they are wanted. */
export function PaletteKeys() {
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
  useHotkeys([['shift+?', () => show('shortcuts')]])
  if (!isWanted) return null
  return (
    <Suspense>
      <Palette shown={shown} onClose={() => setShown(null)} />
    </Suspense>
  )
}
