import { Button, Group } from '@mantine/core'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { language } from '../../words/words.ts'
import { saveFile } from '../lists/download.ts'
import { toast, toastFailure } from '../messages/toasts.tsx'

/** A browser hands out its clipboard only where nobody reads along: HTTPS, or the machine itself. */
const HAS_CLIPBOARD = 'ClipboardItem' in window && navigator.clipboard !== undefined

/** The result as a slide, drawn by the service with its verdict and the limits of its meaning. */
export function PictureButtons({ slug }: { readonly slug: string }) {
  const its = resultWords().spread
  const { tossup } = useBrand()
  const picture = () => tossup.getPollResultsPicture(slug, { lang: language.lang })
  async function copy(): Promise<void> {
    // The clipboard takes a promise, because it is open only right after the press.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture() })])
    toast(its.pictureCopied)
  }
  const save = async () => saveFile(await picture(), `results-${slug}.png`)
  return (
    <Group gap="xs" mt="md">
      {HAS_CLIPBOARD && (
        <Button variant="default" size="compact-sm" onClick={() => void copy().catch(toastFailure)}>
          {its.picture}
        </Button>
      )}
      <Button variant="default" size="compact-sm" onClick={() => void save().catch(toastFailure)}>
        {its.savePicture}
      </Button>
    </Group>
  )
}
