import type { Lang } from '../../../../../embed/src/words.ts'

export type Trouble = 'invalid' | 'denied' | 'missing' | 'busy' | 'broken' | 'away'

/** For each kind of trouble what happened, and what to do. The browser elements have their own words. */
interface ErrorWords extends Readonly<Record<Trouble, readonly [happened: string, advice: string]>> {
  /** The hosted pages of what is missing, and one advice for all of them. */
  readonly gone: { readonly [What in 'poll' | 'campaign' | 'feed' | 'advice']: string }
  readonly home: string
  readonly retry: string
  /** Before the id by which the operator finds the request in the log. */
  readonly request: string
}

export const ERROR_WORDS: Readonly<Record<Lang, ErrorWords>> = {
  en: {
    invalid: ['This link doesn’t work', 'Check the address, or go back to where you found it.'],
    denied: ['You can’t open this page', 'You may have to sign in first.'],
    missing: ['Page not found', 'Check the address. The page may have moved or been removed.'],
    busy: ['Too many requests', 'Wait a moment, then try again.'],
    broken: ['Something went wrong', 'That’s our fault, not yours. Try again in a moment.'],
    away: ['We can’t answer right now', 'Try again in a moment. Every confirmed vote is safe.'],
    gone: {
      poll: 'We can’t find this poll',
      campaign: 'We can’t find this campaign',
      feed: 'We can’t find this page',
      advice: 'It isn’t published yet, or it was removed. Check the link.',
    },
    home: 'Start page',
    retry: 'Try again',
    request: 'Request',
  },
  de: {
    invalid: ['Dieser Link funktioniert nicht', 'Prüfe die Adresse, oder geh dorthin zurück, wo du sie gefunden hast.'],
    denied: ['Du kannst diese Seite nicht öffnen', 'Vielleicht musst du dich zuerst anmelden.'],
    missing: ['Seite nicht gefunden', 'Prüfe die Adresse. Die Seite wurde vielleicht verschoben oder entfernt.'],
    busy: ['Zu viele Anfragen', 'Warte einen Moment und versuche es dann noch einmal.'],
    broken: ['Etwas ist schiefgegangen', 'Das liegt an uns, nicht an dir. Versuche es gleich noch einmal.'],
    away: ['Wir können gerade nicht antworten', 'Versuche es gleich noch einmal. Jede bestätigte Stimme ist sicher.'],
    gone: {
      poll: 'Wir finden diese Umfrage nicht',
      campaign: 'Wir finden diese Kampagne nicht',
      feed: 'Wir finden diese Seite nicht',
      advice: 'Sie ist noch nicht veröffentlicht oder wurde entfernt. Prüfe den Link.',
    },
    home: 'Startseite',
    retry: 'Erneut versuchen',
    request: 'Anfrage',
  },
  fr: {
    invalid: ['Ce lien ne fonctionne pas', 'Vérifiez l’adresse, ou revenez là où vous l’avez trouvée.'],
    denied: ['Vous ne pouvez pas ouvrir cette page', 'Vous devez peut-être d’abord vous connecter.'],
    missing: ['Page introuvable', 'Vérifiez l’adresse. La page a peut-être été déplacée ou supprimée.'],
    busy: ['Trop de requêtes', 'Patientez un instant, puis réessayez.'],
    broken: ['Une erreur s’est produite', 'C’est notre faute, pas la vôtre. Réessayez dans un instant.'],
    away: [
      'Nous ne pouvons pas répondre pour le moment',
      'Réessayez dans un instant. Chaque vote confirmé est en sécurité.',
    ],
    gone: {
      poll: 'Ce sondage est introuvable',
      campaign: 'Cette campagne est introuvable',
      feed: 'Cette page est introuvable',
      advice: 'Le contenu n’est pas encore publié ou a été supprimé. Vérifiez le lien.',
    },
    home: 'Page d’accueil',
    retry: 'Réessayer',
    request: 'Requête',
  },
  es: {
    invalid: ['Este enlace no funciona', 'Revisa la dirección o vuelve al lugar donde la encontraste.'],
    denied: ['No puedes abrir esta página', 'Quizá tengas que iniciar sesión primero.'],
    missing: ['Página no encontrada', 'Revisa la dirección. Puede que la página se haya movido o eliminado.'],
    busy: ['Demasiadas solicitudes', 'Espera un momento e inténtalo de nuevo.'],
    broken: ['Algo ha salido mal', 'Es culpa nuestra, no tuya. Inténtalo de nuevo en un momento.'],
    away: [
      'Ahora mismo no podemos responder',
      'Inténtalo de nuevo en un momento. Todos los votos confirmados están a salvo.',
    ],
    gone: {
      poll: 'No encontramos esta encuesta',
      campaign: 'No encontramos esta campaña',
      feed: 'No encontramos esta página',
      advice: 'Aún no se ha publicado o se ha eliminado. Revisa el enlace.',
    },
    home: 'Página de inicio',
    retry: 'Reintentar',
    request: 'Solicitud',
  },
  pt: {
    invalid: ['Este link não funciona', 'Confira o endereço ou volte para onde você o encontrou.'],
    denied: ['Você não pode abrir esta página', 'Talvez seja preciso entrar primeiro.'],
    missing: ['Página não encontrada', 'Confira o endereço. A página pode ter sido movida ou removida.'],
    busy: ['Solicitações demais', 'Espere um momento e tente novamente.'],
    broken: ['Algo deu errado', 'A culpa é nossa, não sua. Tente novamente em instantes.'],
    away: [
      'Não conseguimos responder agora',
      'Tente novamente em instantes. Todos os votos confirmados estão seguros.',
    ],
    gone: {
      poll: 'Não encontramos esta enquete',
      campaign: 'Não encontramos esta campanha',
      feed: 'Não encontramos esta página',
      advice: 'Ela ainda não foi publicada ou foi removida. Confira o link.',
    },
    home: 'Página inicial',
    retry: 'Tentar novamente',
    request: 'Solicitação',
  },
  ja: {
    invalid: ['このリンクは使えません', 'アドレスを確認するか、リンクのあったページに戻ってください。'],
    denied: ['このページは開けません', '先にログインが必要かもしれません。'],
    missing: ['ページが見つかりません', 'アドレスを確認してください。ページが移動または削除された可能性があります。'],
    busy: ['リクエストが多すぎます', '少し待ってから、もう一度お試しください。'],
    broken: ['エラーが発生しました', '問題はこちら側にあります。しばらくしてからもう一度お試しください。'],
    away: ['ただいま応答できません', 'しばらくしてからもう一度お試しください。確認済みの投票は失われません。'],
    gone: {
      poll: 'このアンケートは見つかりません',
      campaign: 'このキャンペーンは見つかりません',
      feed: 'このページは見つかりません',
      advice: 'まだ公開されていないか、削除されました。リンクを確認してください。',
    },
    home: 'トップページ',
    retry: 'もう一度試す',
    request: 'リクエスト',
  },
  zh: {
    invalid: ['此链接无效', '请检查网址，或返回您找到该链接的页面。'],
    denied: ['您无法打开此页面', '您可能需要先登录。'],
    missing: ['找不到页面', '请检查网址。该页面可能已被移动或删除。'],
    busy: ['请求过多', '请稍等片刻，然后重试。'],
    broken: ['出错了', '这是我们的问题，与您无关。请稍后重试。'],
    away: ['我们暂时无法响应', '请稍后重试。所有已确认的投票都不会丢失。'],
    gone: {
      poll: '找不到此投票',
      campaign: '找不到此活动',
      feed: '找不到此页面',
      advice: '它尚未发布，或已被删除。请检查链接。',
    },
    home: '首页',
    retry: '重试',
    request: '请求',
  },
  ar: {
    invalid: ['هذا الرابط لا يعمل', 'تحقّق من العنوان، أو عُد إلى المكان الذي وجدته فيه.'],
    denied: ['لا يمكنك فتح هذه الصفحة', 'قد تحتاج إلى تسجيل الدخول أولاً.'],
    missing: ['الصفحة غير موجودة', 'تحقّق من العنوان. ربما نُقلت الصفحة أو حُذفت.'],
    busy: ['طلبات كثيرة جدًا', 'انتظر قليلًا ثم حاول مرة أخرى.'],
    broken: ['حدث خطأ ما', 'الخطأ منّا وليس منك. حاول مرة أخرى بعد قليل.'],
    away: ['لا يمكننا الرد الآن', 'حاول مرة أخرى بعد قليل. كل صوت مؤكَّد محفوظ.'],
    gone: {
      poll: 'لم نعثر على هذا الاستطلاع',
      campaign: 'لم نعثر على هذه الحملة',
      feed: 'لم نعثر على هذه الصفحة',
      advice: 'لم يُنشر المحتوى بعد أو حُذف. تحقّق من الرابط.',
    },
    home: 'الصفحة الرئيسية',
    retry: 'حاول مرة أخرى',
    request: 'الطلب',
  },
  hi: {
    invalid: ['यह लिंक काम नहीं करता', 'पता जाँचें, या वहाँ वापस जाएँ जहाँ यह लिंक मिला था।'],
    denied: ['आप यह पेज नहीं खोल सकते', 'शायद आपको पहले साइन इन करना होगा।'],
    missing: ['पेज नहीं मिला', 'पता जाँचें। हो सकता है कि पेज की जगह बदल गई हो या उसे हटा दिया गया हो।'],
    busy: ['बहुत ज़्यादा अनुरोध', 'थोड़ा रुकें, फिर से कोशिश करें।'],
    broken: ['कुछ गड़बड़ हो गई', 'गलती हमारी है, आपकी नहीं। थोड़ी देर में फिर से कोशिश करें।'],
    away: ['हम अभी जवाब नहीं दे सकते', 'थोड़ी देर में फिर से कोशिश करें। हर पुष्ट वोट सुरक्षित है।'],
    gone: {
      poll: 'यह पोल नहीं मिला',
      campaign: 'यह अभियान नहीं मिला',
      feed: 'यह पेज नहीं मिला',
      advice: 'यह अभी प्रकाशित नहीं हुआ है या हटा दिया गया है। लिंक जाँचें।',
    },
    home: 'मुख्य पेज',
    retry: 'फिर से कोशिश करें',
    request: 'अनुरोध',
  },
  uk: {
    invalid: ['Це посилання не працює', 'Перевірте адресу або поверніться туди, де ви її знайшли.'],
    denied: ['Ви не можете відкрити цю сторінку', 'Можливо, спочатку потрібно увійти.'],
    missing: ['Сторінку не знайдено', 'Перевірте адресу. Можливо, сторінку перенесли або видалили.'],
    busy: ['Забагато запитів', 'Зачекайте трохи й спробуйте ще раз.'],
    broken: ['Щось пішло не так', 'Це наша помилка, а не ваша. Спробуйте ще раз за мить.'],
    away: ['Зараз ми не можемо відповісти', 'Спробуйте ще раз за мить. Усі підтверджені голоси збережено.'],
    gone: {
      poll: 'Ми не знайшли це опитування',
      campaign: 'Ми не знайшли цю кампанію',
      feed: 'Ми не знайшли цю сторінку',
      advice: 'Можливо, публікації ще не було або її видалили. Перевірте посилання.',
    },
    home: 'Головна сторінка',
    retry: 'Спробувати ще раз',
    request: 'Запит',
  },
}
