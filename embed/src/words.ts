/** What a poll says by itself. Titles and labels are the brand's own, in whatever language. */
export interface Words {
  readonly closed: string
  readonly opens: string
  readonly notOpenYet: string
  readonly thanks: string
  readonly hidden: string
  readonly noVotes: string
  /** By the plural forms of the language; `#` stands for the number. */
  readonly votes: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
  readonly edited: string
  readonly notSent: string
  readonly offline: string
  readonly slowDown: string
  readonly unavailable: string
  readonly retry: string
  readonly loading: string
}

export type Lang = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'zh' | 'ar' | 'hi' | 'uk'

const en: Words = {
  closed: 'Closed',
  opens: 'Opens',
  notOpenYet: 'Not open yet',
  thanks: 'Thank you for your vote',
  hidden: 'Results are not shown',
  noVotes: 'No votes yet',
  votes: { one: '# vote', other: '# votes' },
  edited: 'edited after its first vote',
  notSent: 'Your vote could not be sent. Please try again.',
  offline: 'You are offline. Please try again later.',
  slowDown: 'Too many votes at once. Please try again in a minute.',
  unavailable: 'This poll is not available.',
  retry: 'Try again',
  loading: 'Loading',
}

const WORDS: Readonly<Record<Lang, Words>> = {
  en,
  de: {
    closed: 'Beendet',
    opens: 'Beginnt am',
    notOpenYet: 'Noch nicht offen',
    thanks: 'Danke für deine Stimme',
    hidden: 'Ergebnisse werden nicht gezeigt',
    noVotes: 'Noch keine Stimmen',
    votes: { one: '# Stimme', other: '# Stimmen' },
    edited: 'nach der ersten Stimme geändert',
    notSent: 'Deine Stimme konnte nicht gesendet werden. Bitte versuche es noch einmal.',
    offline: 'Du bist offline. Bitte versuche es später noch einmal.',
    slowDown: 'Zu viele Stimmen auf einmal. Bitte versuche es in einer Minute noch einmal.',
    unavailable: 'Diese Umfrage ist nicht verfügbar.',
    retry: 'Noch einmal versuchen',
    loading: 'Wird geladen',
  },
  fr: {
    closed: 'Terminé',
    opens: 'Ouvre le',
    notOpenYet: 'Pas encore ouvert',
    thanks: 'Merci pour votre vote',
    hidden: 'Les résultats ne sont pas affichés',
    noVotes: 'Aucun vote pour l’instant',
    votes: { one: '# vote', other: '# votes' },
    edited: 'modifié après le premier vote',
    notSent: 'Votre vote n’a pas pu être envoyé. Veuillez réessayer.',
    offline: 'Vous êtes hors ligne. Veuillez réessayer plus tard.',
    slowDown: 'Trop de votes à la fois. Veuillez réessayer dans une minute.',
    unavailable: 'Ce sondage n’est pas disponible.',
    retry: 'Réessayer',
    loading: 'Chargement',
  },
  es: {
    closed: 'Cerrada',
    opens: 'Abre el',
    notOpenYet: 'Aún no está abierta',
    thanks: 'Gracias por tu voto',
    hidden: 'Los resultados no se muestran',
    noVotes: 'Aún no hay votos',
    votes: { one: '# voto', other: '# votos' },
    edited: 'editada después del primer voto',
    notSent: 'No se pudo enviar tu voto. Inténtalo de nuevo.',
    offline: 'Estás sin conexión. Inténtalo más tarde.',
    slowDown: 'Demasiados votos a la vez. Inténtalo de nuevo en un minuto.',
    unavailable: 'Esta encuesta no está disponible.',
    retry: 'Intentar de nuevo',
    loading: 'Cargando',
  },
  pt: {
    closed: 'Encerrada',
    opens: 'Abre em',
    notOpenYet: 'Ainda não está aberta',
    thanks: 'Obrigado pelo seu voto',
    hidden: 'Os resultados não são mostrados',
    noVotes: 'Ainda sem votos',
    votes: { one: '# voto', other: '# votos' },
    edited: 'editada após o primeiro voto',
    notSent: 'Não foi possível enviar o seu voto. Tente de novo.',
    offline: 'Você está sem conexão. Tente mais tarde.',
    slowDown: 'Votos demais de uma vez. Tente de novo em um minuto.',
    unavailable: 'Esta enquete não está disponível.',
    retry: 'Tentar de novo',
    loading: 'Carregando',
  },
  ja: {
    closed: '終了',
    opens: '開始',
    notOpenYet: 'まだ始まっていません',
    thanks: '投票ありがとうございます',
    hidden: '結果は表示されません',
    noVotes: 'まだ投票がありません',
    votes: { other: '#票' },
    edited: '最初の投票の後に編集されました',
    notSent: '投票を送信できませんでした。もう一度お試しください。',
    offline: 'オフラインです。後でもう一度お試しください。',
    slowDown: '投票が多すぎます。1分後にもう一度お試しください。',
    unavailable: 'この投票は利用できません。',
    retry: 'もう一度試す',
    loading: '読み込み中',
  },
  zh: {
    closed: '已结束',
    opens: '开始于',
    notOpenYet: '尚未开始',
    thanks: '感谢您的投票',
    hidden: '不显示结果',
    noVotes: '还没有投票',
    votes: { other: '# 票' },
    edited: '首次投票后有修改',
    notSent: '您的投票未能发送，请重试。',
    offline: '您已离线，请稍后重试。',
    slowDown: '投票过于频繁，请一分钟后重试。',
    unavailable: '此投票不可用。',
    retry: '重试',
    loading: '正在加载',
  },
  ar: {
    closed: 'انتهى',
    opens: 'يبدأ في',
    notOpenYet: 'لم يبدأ بعد',
    thanks: 'شكرًا على تصويتك',
    hidden: 'النتائج غير معروضة',
    noVotes: 'لا أصوات بعد',
    votes: { zero: '# صوت', one: 'صوت واحد', two: 'صوتان', few: '# أصوات', many: '# صوتًا', other: '# صوت' },
    edited: 'عُدّل بعد أول صوت',
    notSent: 'تعذّر إرسال صوتك. حاول مرة أخرى.',
    offline: 'أنت غير متصل. حاول لاحقًا.',
    slowDown: 'أصوات كثيرة دفعة واحدة. حاول بعد دقيقة.',
    unavailable: 'هذا الاستطلاع غير متاح.',
    retry: 'حاول مرة أخرى',
    loading: 'جارٍ التحميل',
  },
  hi: {
    closed: 'समाप्त',
    opens: 'शुरू होगा',
    notOpenYet: 'अभी शुरू नहीं हुआ',
    thanks: 'आपके वोट के लिए धन्यवाद',
    hidden: 'परिणाम नहीं दिखाए जाते',
    noVotes: 'अभी कोई वोट नहीं',
    votes: { one: '# वोट', other: '# वोट' },
    edited: 'पहले वोट के बाद बदला गया',
    notSent: 'आपका वोट भेजा नहीं जा सका। कृपया फिर से कोशिश करें।',
    offline: 'आप ऑफ़लाइन हैं। कृपया बाद में कोशिश करें।',
    slowDown: 'एक साथ बहुत सारे वोट। कृपया एक मिनट बाद कोशिश करें।',
    unavailable: 'यह पोल उपलब्ध नहीं है।',
    retry: 'फिर से कोशिश करें',
    loading: 'लोड हो रहा है',
  },
  uk: {
    closed: 'Завершено',
    opens: 'Почнеться',
    notOpenYet: 'Ще не почалося',
    thanks: 'Дякуємо за ваш голос',
    hidden: 'Результати не показуються',
    noVotes: 'Ще немає голосів',
    votes: { one: '# голос', few: '# голоси', many: '# голосів', other: '# голосу' },
    edited: 'змінено після першого голосу',
    notSent: 'Не вдалося надіслати ваш голос. Спробуйте ще раз.',
    offline: 'Ви не в мережі. Спробуйте пізніше.',
    slowDown: 'Забагато голосів одразу. Спробуйте за хвилину.',
    unavailable: 'Це опитування недоступне.',
    retry: 'Спробувати ще раз',
    loading: 'Завантаження',
  },
}

/** The language that is spoken here for a tag like `pt-BR`; English for all others. */
export function langOf(tag: string | null | undefined): Lang {
  const [base = ''] = (tag ?? '').toLowerCase().split('-')
  return Object.hasOwn(WORDS, base) ? (base as Lang) : 'en'
}

export const wordsOf = (lang: string): Words => WORDS[langOf(lang)]

export const directionOf = (lang: string): 'rtl' | 'ltr' => (langOf(lang) === 'ar' ? 'rtl' : 'ltr')

export function votesIn(lang: string, count: number): string {
  const known = langOf(lang)
  const { votes } = WORDS[known]
  const form = votes[new Intl.PluralRules(known).select(count)] ?? votes.other
  return form.replace('#', new Intl.NumberFormat(known).format(count))
}
