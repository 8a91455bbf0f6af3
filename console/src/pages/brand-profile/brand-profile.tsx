import { EditPage } from '../../parts/edit-page.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { words } from '../../words/words.ts'
import { ProfileForm } from './profile-form.tsx'

export function BrandProfilePage() {
  const { slug, tossup } = useBrand()
  return (
    <EditPage
      title={words().nav.brand}
      text={formWords().brand.text}
      queryKey={['brand', slug, 'profile', 'edit']}
      read={(signal) => tossup.getOwnBrand({ signal })}
    >
      {(profile) => <ProfileForm profile={profile} />}
    </EditPage>
  )
}
