import type { Lang } from '../../../../../embed/src/words.ts'
import type { Role } from '../../../base/roles.ts'

/** The words of mails and of the page that a link opens. `{…}` stands for a value. */
export interface PeopleWords {
  readonly signInSubject: string
  readonly signInText: string
  readonly signInButton: string
  readonly signInLife: string
  readonly inviteSubject: string
  readonly inviteText: string
  readonly inviteButton: string
  readonly inviteLife: string
  readonly notYou: string
  readonly roles: Readonly<Record<Role, string>>
  /** The page. */
  readonly joinTitle: string
  readonly joinText: string
  readonly joinButton: string
  readonly joined: string
  readonly refused: string
  readonly failed: string
  readonly providerFailed: string
}

export const PEOPLE_WORDS: Readonly<Record<Lang, PeopleWords>> = {
  en: {
    signInSubject: 'Your sign-in link for Tossup',
    signInText: 'Open this link to sign in as {email}:',
    signInButton: 'Sign in',
    signInLife: 'The link works once, for 15 minutes.',
    inviteSubject: '{brand} invites you to Tossup',
    inviteText: 'You are invited to work on the polls of {brand} as {role}. Open this link to accept:',
    inviteButton: 'Accept the invitation',
    inviteLife: 'The link works once, for 7 days.',
    notYou: 'If you did not expect this mail, ignore it: nothing happens without the link.',
    roles: { owner: 'owner', editor: 'editor', analyst: 'analyst' },
    joinTitle: 'Sign in to Tossup',
    joinText: 'The link works once. Sign in on the device that you want to work on.',
    joinButton: 'Sign in',
    joined: 'You are signed in as {email}.',
    refused: 'This link does not work any more. Ask for a new one.',
    failed: 'That did not work. Check your connection and try again.',
    providerFailed:
      'Signing in with your provider did not work. Try again, or ask an owner of the brand to invite you.',
  },
  de: {
    signInSubject: 'Dein Anmeldelink für Tossup',
    signInText: 'Öffne diesen Link, um dich als {email} anzumelden:',
    signInButton: 'Anmelden',
    signInLife: 'Der Link gilt einmal und 15 Minuten lang.',
    inviteSubject: '{brand} lädt dich zu Tossup ein',
    inviteText:
      'Du bist eingeladen, als {role} an den Umfragen von {brand} zu arbeiten. Öffne diesen Link, um anzunehmen:',
    inviteButton: 'Einladung annehmen',
    inviteLife: 'Der Link gilt einmal und 7 Tage lang.',
    notYou: 'Wenn du diese Mail nicht erwartet hast, ignoriere sie: Ohne den Link passiert nichts.',
    roles: { owner: 'Inhaber', editor: 'Bearbeiter', analyst: 'Analyst' },
    joinTitle: 'Bei Tossup anmelden',
    joinText: 'Der Link gilt nur einmal. Melde dich auf dem Gerät an, mit dem du arbeiten willst.',
    joinButton: 'Anmelden',
    joined: 'Du bist als {email} angemeldet.',
    refused: 'Dieser Link gilt nicht mehr. Bitte um einen neuen.',
    failed: 'Das hat nicht geklappt. Prüfe deine Verbindung und versuche es noch einmal.',
    providerFailed:
      'Die Anmeldung bei deinem Anbieter hat nicht geklappt. Versuche es noch einmal oder lass dich von einem Inhaber der Marke einladen.',
  },
  fr: {
    signInSubject: 'Votre lien de connexion à Tossup',
    signInText: 'Ouvrez ce lien pour vous connecter en tant que {email} :',
    signInButton: 'Se connecter',
    signInLife: 'Le lien fonctionne une seule fois, pendant 15 minutes.',
    inviteSubject: '{brand} vous invite sur Tossup',
    inviteText:
      'Vous êtes invité à travailler sur les sondages de {brand} avec le rôle {role}. Ouvrez ce lien pour accepter :',
    inviteButton: 'Accepter l’invitation',
    inviteLife: 'Le lien fonctionne une seule fois, pendant 7 jours.',
    notYou: 'Si vous n’attendiez pas ce message, ignorez-le : rien ne se passe sans le lien.',
    roles: { owner: 'propriétaire', editor: 'éditeur', analyst: 'analyste' },
    joinTitle: 'Se connecter à Tossup',
    joinText: 'Le lien fonctionne une seule fois. Connectez-vous sur l’appareil avec lequel vous voulez travailler.',
    joinButton: 'Se connecter',
    joined: 'Vous êtes connecté en tant que {email}.',
    refused: 'Ce lien ne fonctionne plus. Demandez-en un nouveau.',
    failed: 'Cela n’a pas fonctionné. Vérifiez votre connexion et réessayez.',
    providerFailed:
      'La connexion avec votre fournisseur n’a pas fonctionné. Réessayez ou demandez une invitation à un propriétaire de la marque.',
  },
  es: {
    signInSubject: 'Tu enlace de acceso a Tossup',
    signInText: 'Abre este enlace para acceder como {email}:',
    signInButton: 'Acceder',
    signInLife: 'El enlace funciona una vez, durante 15 minutos.',
    inviteSubject: '{brand} te invita a Tossup',
    inviteText: 'Te invitan a trabajar en las encuestas de {brand} con el rol {role}. Abre este enlace para aceptar:',
    inviteButton: 'Aceptar la invitación',
    inviteLife: 'El enlace funciona una vez, durante 7 días.',
    notYou: 'Si no esperabas este correo, ignóralo: sin el enlace no pasa nada.',
    roles: { owner: 'propietario', editor: 'editor', analyst: 'analista' },
    joinTitle: 'Acceder a Tossup',
    joinText: 'El enlace funciona una sola vez. Accede en el dispositivo con el que quieras trabajar.',
    joinButton: 'Acceder',
    joined: 'Has accedido como {email}.',
    refused: 'Este enlace ya no funciona. Pide uno nuevo.',
    failed: 'No ha funcionado. Comprueba tu conexión e inténtalo de nuevo.',
    providerFailed:
      'El acceso con tu proveedor no ha funcionado. Inténtalo de nuevo o pide una invitación a un propietario de la marca.',
  },
  pt: {
    signInSubject: 'Seu link de acesso ao Tossup',
    signInText: 'Abra este link para entrar como {email}:',
    signInButton: 'Entrar',
    signInLife: 'O link funciona uma vez, por 15 minutos.',
    inviteSubject: '{brand} convida você para o Tossup',
    inviteText:
      'Você foi convidado para trabalhar nas enquetes de {brand} com a função {role}. Abra este link para aceitar:',
    inviteButton: 'Aceitar o convite',
    inviteLife: 'O link funciona uma vez, por 7 dias.',
    notYou: 'Se você não esperava este e-mail, ignore-o: nada acontece sem o link.',
    roles: { owner: 'proprietário', editor: 'editor', analyst: 'analista' },
    joinTitle: 'Entrar no Tossup',
    joinText: 'O link funciona uma única vez. Entre no dispositivo em que quer trabalhar.',
    joinButton: 'Entrar',
    joined: 'Você entrou como {email}.',
    refused: 'Este link não funciona mais. Peça um novo.',
    failed: 'Não funcionou. Verifique sua conexão e tente de novo.',
    providerFailed:
      'O acesso pelo seu provedor não funcionou. Tente de novo ou peça um convite a um proprietário da marca.',
  },
  uk: {
    signInSubject: 'Ваше посилання для входу в Tossup',
    signInText: 'Відкрийте це посилання, щоб увійти як {email}:',
    signInButton: 'Увійти',
    signInLife: 'Посилання діє один раз, протягом 15 хвилин.',
    inviteSubject: '{brand} запрошує вас до Tossup',
    inviteText:
      'Вас запрошено працювати з опитуваннями {brand}; ваша роль: {role}. Відкрийте це посилання, щоб прийняти:',
    inviteButton: 'Прийняти запрошення',
    inviteLife: 'Посилання діє один раз, протягом 7 днів.',
    notYou: 'Якщо ви не чекали цього листа, просто проігноруйте його: без посилання нічого не станеться.',
    roles: { owner: 'власник', editor: 'редактор', analyst: 'аналітик' },
    joinTitle: 'Вхід у Tossup',
    joinText: 'Посилання діє лише один раз. Увійдіть на пристрої, на якому хочете працювати.',
    joinButton: 'Увійти',
    joined: 'Ви увійшли як {email}.',
    refused: 'Це посилання більше не діє. Попросіть нове.',
    failed: 'Не вдалося. Перевірте з’єднання та спробуйте ще раз.',
    providerFailed:
      'Увійти через вашого провайдера не вдалося. Спробуйте ще раз або попросіть власника бренду запросити вас.',
  },
  ar: {
    signInSubject: 'رابط تسجيل الدخول إلى Tossup',
    signInText: 'افتح هذا الرابط لتسجيل الدخول باسم {email}:',
    signInButton: 'تسجيل الدخول',
    signInLife: 'يعمل الرابط مرة واحدة ولمدة 15 دقيقة.',
    inviteSubject: 'يدعوك {brand} إلى Tossup',
    inviteText: 'أنت مدعو للعمل على استطلاعات {brand} بدور {role}. افتح هذا الرابط للقبول:',
    inviteButton: 'قبول الدعوة',
    inviteLife: 'يعمل الرابط مرة واحدة ولمدة 7 أيام.',
    notYou: 'إذا لم تكن تتوقع هذه الرسالة فتجاهلها: لن يحدث شيء من دون الرابط.',
    roles: { owner: 'مالك', editor: 'محرر', analyst: 'محلل' },
    joinTitle: 'تسجيل الدخول إلى Tossup',
    joinText: 'يعمل الرابط مرة واحدة فقط. سجّل الدخول على الجهاز الذي تريد العمل عليه.',
    joinButton: 'تسجيل الدخول',
    joined: 'سجّلت الدخول باسم {email}.',
    refused: 'لم يعد هذا الرابط صالحًا. اطلب رابطًا جديدًا.',
    failed: 'لم ينجح ذلك. تحقق من اتصالك ثم أعد المحاولة.',
    providerFailed: 'لم ينجح تسجيل الدخول عبر مزوّدك. أعد المحاولة أو اطلب دعوة من مالك العلامة.',
  },
  hi: {
    signInSubject: 'Tossup में साइन इन करने का आपका लिंक',
    signInText: '{email} के रूप में साइन इन करने के लिए यह लिंक खोलें:',
    signInButton: 'साइन इन करें',
    signInLife: 'लिंक एक बार काम करता है, 15 मिनट तक।',
    inviteSubject: '{brand} आपको Tossup पर आमंत्रित करता है',
    inviteText: 'आपको {brand} के पोल पर {role} के रूप में काम करने के लिए आमंत्रित किया गया है। स्वीकार करने के लिए यह लिंक खोलें:',
    inviteButton: 'आमंत्रण स्वीकार करें',
    inviteLife: 'लिंक एक बार काम करता है, 7 दिन तक।',
    notYou: 'अगर आपको इस मेल की उम्मीद नहीं थी, तो इसे अनदेखा करें: लिंक के बिना कुछ नहीं होता।',
    roles: { owner: 'स्वामी', editor: 'संपादक', analyst: 'विश्लेषक' },
    joinTitle: 'Tossup में साइन इन करें',
    joinText: 'लिंक केवल एक बार काम करता है। उस डिवाइस पर साइन इन करें जिस पर आप काम करना चाहते हैं।',
    joinButton: 'साइन इन करें',
    joined: 'आप {email} के रूप में साइन इन हैं।',
    refused: 'यह लिंक अब काम नहीं करता। नया लिंक माँगें।',
    failed: 'यह नहीं हो पाया। अपना कनेक्शन जाँचें और फिर कोशिश करें।',
    providerFailed: 'आपके प्रदाता से साइन इन नहीं हो पाया। फिर कोशिश करें, या ब्रांड के किसी स्वामी से आमंत्रण माँगें।',
  },
  ja: {
    signInSubject: 'Tossup のサインイン用リンク',
    signInText: '{email} としてサインインするには、このリンクを開いてください。',
    signInButton: 'サインイン',
    signInLife: 'リンクは一度だけ、15 分間有効です。',
    inviteSubject: '{brand} から Tossup への招待',
    inviteText: '{brand} の投票に{role}として参加するよう招待されています。承諾するには、このリンクを開いてください。',
    inviteButton: '招待を承諾',
    inviteLife: 'リンクは一度だけ、7 日間有効です。',
    notYou: '心当たりがない場合は、このメールを無視してください。リンクを開かなければ何も起こりません。',
    roles: { owner: 'オーナー', editor: '編集者', analyst: 'アナリスト' },
    joinTitle: 'Tossup にサインイン',
    joinText: 'リンクは一度だけ有効です。作業する端末でサインインしてください。',
    joinButton: 'サインイン',
    joined: '{email} としてサインインしました。',
    refused: 'このリンクは無効になりました。新しいリンクを依頼してください。',
    failed: 'うまくいきませんでした。接続を確認して、もう一度お試しください。',
    providerFailed:
      'プロバイダーでのサインインに失敗しました。もう一度試すか、ブランドのオーナーに招待を依頼してください。',
  },
  zh: {
    signInSubject: '您的 Tossup 登录链接',
    signInText: '打开此链接，以 {email} 的身份登录：',
    signInButton: '登录',
    signInLife: '链接只能使用一次，15 分钟内有效。',
    inviteSubject: '{brand} 邀请您加入 Tossup',
    inviteText: '您受邀以{role}的身份参与 {brand} 的投票工作。打开此链接即可接受：',
    inviteButton: '接受邀请',
    inviteLife: '链接只能使用一次，7 天内有效。',
    notYou: '如果您没有预料到这封邮件，请忽略它：不打开链接就不会发生任何事。',
    roles: { owner: '所有者', editor: '编辑', analyst: '分析员' },
    joinTitle: '登录 Tossup',
    joinText: '链接只能使用一次。请在您要使用的设备上登录。',
    joinButton: '登录',
    joined: '您已以 {email} 的身份登录。',
    refused: '此链接已失效。请索取新的链接。',
    failed: '操作未成功。请检查网络连接后重试。',
    providerFailed: '通过您的提供商登录未成功。请重试，或请品牌所有者邀请您。',
  },
}

/** Replaces each `{name}` by its value, which is text and never markup. */
export const filled = (words: string, values: Readonly<Record<string, string>>): string =>
  words.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
