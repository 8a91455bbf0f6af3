<?php
// The page under Settings, its script, and what the site's privacy policy may say.

defined('ABSPATH') || exit;

add_action('admin_menu', 'tossup_add_settings_page');
add_action('admin_init', 'tossup_add_privacy_text');
add_filter('plugin_action_links_' . plugin_basename(TOSSUP_FILE), 'tossup_add_action_link');

function tossup_add_settings_page() {
    $page = add_options_page(
        __('Tossup polls', 'tossup-polls'),
        __('Tossup polls', 'tossup-polls'),
        'manage_options',
        'tossup-polls',
        'tossup_show_settings'
    );
    add_action('load-' . $page, 'tossup_add_settings_script');
}

function tossup_add_action_link($links) {
    $address = admin_url('options-general.php?page=tossup-polls');
    array_unshift($links, sprintf('<a href="%s">%s</a>', esc_url($address), esc_html__('Settings', 'tossup-polls')));
    return $links;
}

function tossup_add_settings_script() {
    wp_enqueue_script('tossup-settings', plugins_url('settings.js', TOSSUP_FILE), array('wp-api-fetch', 'wp-a11y'), TOSSUP_VERSION, true);
    $words = array(
        'testing'    => __('Testing…', 'tossup-polls'),
        'reached'    => __('Your browser reaches the service.', 'tossup-polls'),
        'notReached' => __('Your browser does not reach the service at this address. Visitors’ browsers will not either, unless an extension of yours blocks it.', 'tossup-polls'),
        'noAnswer'   => __('The test did not run. Load this page again, and sign in if WordPress asks.', 'tossup-polls'),
        'mixed'      => __('This site uses https and the service does not, so browsers block it. Use the https address of the service.', 'tossup-polls'),
    );
    wp_add_inline_script('tossup-settings', 'window.tossupWords = ' . wp_json_encode($words, JSON_HEX_TAG | JSON_HEX_AMP), 'before');
}

function tossup_show_settings() {
    if (!current_user_can('manage_options')) {
        return;
    }
    $settings = tossup_settings();
    $themes = array(
        'auto'  => __('As the page', 'tossup-polls'),
        'light' => __('Light', 'tossup-polls'),
        'dark'  => __('Dark', 'tossup-polls'),
    );
    ?>
    <div class="wrap">
        <h1><?php esc_html_e('Tossup polls', 'tossup-polls'); ?></h1>
        <form action="options.php" method="post">
            <?php settings_fields('tossup_polls'); ?>
            <h2><?php esc_html_e('Your service', 'tossup-polls'); ?></h2>
            <table class="form-table" role="presentation">
                <tr>
                    <th scope="row"><label for="tossup-address"><?php esc_html_e('Address', 'tossup-polls'); ?></label></th>
                    <td>
                        <input type="text" inputmode="url" dir="ltr" class="regular-text code" id="tossup-address" name="tossup_polls[address]" value="<?php echo esc_attr($settings['address']); ?>" placeholder="https://polls.example.com" aria-describedby="tossup-address-help" spellcheck="false" autocomplete="off">
                        <button type="button" class="button" id="tossup-test"><?php esc_html_e('Test the address', 'tossup-polls'); ?></button>
                        <p class="description" id="tossup-address-help"><?php esc_html_e('Where your Tossup console opens. You may paste the link of any of your polls.', 'tossup-polls'); ?></p>
                        <div id="tossup-result"></div>
                    </td>
                </tr>
                <tr>
                    <th scope="row"><label for="tossup-brand"><?php esc_html_e('Brand', 'tossup-polls'); ?></label></th>
                    <td>
                        <input type="text" dir="ltr" class="regular-text code" id="tossup-brand" name="tossup_polls[brand]" value="<?php echo esc_attr($settings['brand']); ?>" placeholder="corner-cafe" aria-describedby="tossup-brand-help" spellcheck="false" autocomplete="off">
                        <p class="description" id="tossup-brand-help"><?php esc_html_e('Its short name, or the link of its page. The block then lists the public polls and campaigns of this brand.', 'tossup-polls'); ?></p>
                    </td>
                </tr>
            </table>
            <h2><?php esc_html_e('Unless a block says otherwise', 'tossup-polls'); ?></h2>
            <table class="form-table" role="presentation">
                <tr>
                    <th scope="row"><label for="tossup-theme"><?php esc_html_e('Theme', 'tossup-polls'); ?></label></th>
                    <td>
                        <select id="tossup-theme" name="tossup_polls[theme]" aria-describedby="tossup-theme-help">
                            <?php foreach ($themes as $value => $label) : ?>
                                <option value="<?php echo esc_attr($value); ?>" <?php selected($settings['theme'], $value); ?>><?php echo esc_html($label); ?></option>
                            <?php endforeach; ?>
                        </select>
                        <p class="description" id="tossup-theme-help"><?php esc_html_e('Colours, font and logo come from the theme of your brand, which you set in the console.', 'tossup-polls'); ?></p>
                    </td>
                </tr>
                <tr>
                    <th scope="row"><label for="tossup-width"><?php esc_html_e('Width in pixels', 'tossup-polls'); ?></label></th>
                    <td>
                        <input type="number" class="small-text" id="tossup-width" name="tossup_polls[width]" value="<?php echo esc_attr($settings['width'] ? $settings['width'] : ''); ?>" min="<?php echo esc_attr(TOSSUP_WIDTHS[0]); ?>" max="<?php echo esc_attr(TOSSUP_WIDTHS[1]); ?>" aria-describedby="tossup-width-help">
                        <p class="description" id="tossup-width-help"><?php esc_html_e('Empty: as wide as the text, up to 720. A poll is never wider than the room it has.', 'tossup-polls'); ?></p>
                    </td>
                </tr>
                <tr>
                    <th scope="row"><label for="tossup-source"><?php esc_html_e('Source', 'tossup-polls'); ?></label></th>
                    <td>
                        <input type="text" dir="ltr" class="regular-text code" id="tossup-source" name="tossup_polls[source]" value="<?php echo esc_attr($settings['source']); ?>" placeholder="blog" maxlength="40" aria-describedby="tossup-source-help" spellcheck="false" autocomplete="off">
                        <p class="description" id="tossup-source-help"><?php esc_html_e('The name under which the console counts votes from this site. Declare it there first. Never a person.', 'tossup-polls'); ?></p>
                    </td>
                </tr>
            </table>
            <?php submit_button(); ?>
        </form>
    </div>
    <?php
}

function tossup_add_privacy_text() {
    if (!function_exists('wp_add_privacy_policy_content')) {
        return;
    }
    $text = __('Polls on this site are loaded from our poll service. When you vote, your browser makes a random number, keeps it in its storage for this site and sends it with your answer, so that your device votes once. No cookie is set, and WordPress stores nothing about your vote.', 'tossup-polls');
    wp_add_privacy_policy_content(__('Tossup polls', 'tossup-polls'), wp_kses_post(wpautop($text)));
}
