import { EditPage } from '../parts/edit-page.tsx'
import { addStyles } from '../parts/polls/sheet.ts'
import { useBrand } from '../session/brand.ts'
import styles from '../styles/theme.css' with { type: 'text' }
import { formWords } from '../words/form-words.ts'
import { ThemeForm } from './theme/theme-form.tsx'

addStyles(styles)

export function ThemePage() {
  const { slug, tossup } = useBrand()
  const { look } = formWords()
  return (
    <EditPage
      title={look.title}
      text={look.text}
      queryKey={['brand', slug, 'theme', 'edit']}
      read={(signal) => tossup.getOwnTheme({ signal })}
    >
      {(theme) => <ThemeForm theme={theme} />}
    </EditPage>
  )
}
