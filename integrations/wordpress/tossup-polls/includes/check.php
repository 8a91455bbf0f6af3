<?php
// The test of the settings page, and every request of this plugin from the server.

defined('ABSPATH') || exit;

add_action('rest_api_init', 'tossup_register_check');

function tossup_register_check() {
    register_rest_route('tossup-polls/v1', '/check', array(
        'methods'             => WP_REST_Server::READABLE,
        'callback'            => 'tossup_answer_check',
        'permission_callback' => function () {
            return current_user_can('manage_options');
        },
        'args'                => array(
            'address' => array('type' => 'string', 'required' => true, 'maxLength' => 2048),
            'brand'   => array('type' => 'string', 'default' => '', 'maxLength' => 2048),
        ),
    ));
}

/** Tells whether this server reaches the service; the browser of the settings page then tries for itself. */
function tossup_answer_check($request) {
    $origin = tossup_origin($request['address']);
    $problem = $origin === ''
        ? __('This is no address. It must look like https://polls.example.com.', 'tossup-polls')
        : tossup_problem_of($origin, trim($request['brand']));
    $success = __('This server reaches the service.', 'tossup-polls');
    $response = new WP_REST_Response(array(
        'origin'  => $origin,
        'ok'      => $problem === '',
        'message' => $problem === '' ? $success : $problem,
    ));
    $response->header('Cache-Control', 'no-store');
    return $response;
}

/** What is wrong with the service at this address, in a sentence with its remedy; an empty string if nothing is. */
function tossup_problem_of($origin, $brand) {
    $answer = tossup_get($origin, '/categories');
    if (is_wp_error($answer)) {
        return tossup_words_of($answer);
    }
    $status = wp_remote_retrieve_response_code($answer);
    $moved = $status >= 300 && $status < 400 ? tossup_origin(wp_remote_retrieve_header($answer, 'location')) : '';
    if ($moved !== '' && $moved !== $origin) {
        /* translators: %s: an address */
        return sprintf(__('This address leads to another one. Use %s.', 'tossup-polls'), $moved);
    }
    if ($status === 503) {
        return __('The service is there but not ready. Try again in a minute, or ask who runs it.', 'tossup-polls');
    }
    $body = json_decode(wp_remote_retrieve_body($answer), true);
    if ($status !== 200 || !isset($body['data'])) {
        /* translators: %d: a number such as 404 */
        return sprintf(__('Something answers at this address, but it is no Tossup service (status %d). Copy the address from your Tossup console.', 'tossup-polls'), $status);
    }
    if ($brand === '') {
        return '';
    }
    $slug = tossup_brand($brand);
    $found = $slug === '' ? null : tossup_get($origin, '/brands/' . $slug);
    if ($found === null || wp_remote_retrieve_response_code($found) === 404) {
        /* translators: %s: the short name of a brand */
        return sprintf(__('The service is there, but it has no brand “%s”. Its short name is in the address of its page, after /b/.', 'tossup-polls'), $brand);
    }
    return is_wp_error($found) ? tossup_words_of($found) : '';
}

function tossup_words_of($error) {
    if ($error->get_error_code() === 'tossup_unknown_host') {
        return __('There is no server of this name. Look for a typing error in the address.', 'tossup-polls');
    }
    if ($error->get_error_code() === 'tossup_private_host') {
        return __('This is an address in a private network. WordPress does not open it, and your visitors cannot. Use the public address of the service.', 'tossup-polls');
    }
    /* translators: %s: the reason that the server gave, often in English */
    return sprintf(__('This server does not reach the address: %s', 'tossup-polls'), $error->get_error_message());
}

/** The only requests of this plugin from the server: GET, no redirect, at most 64 KiB, five seconds. */
function tossup_get($origin, $path) {
    $url = $origin . '/api/rest/v1' . $path;
    $allow = tossup_port_filter($origin);
    add_filter('http_allowed_safe_ports', $allow, 10, 3);
    $answer = wp_http_validate_url($url) ? wp_safe_remote_get($url, array(
        'timeout'             => 5,
        'redirection'         => 0,
        'limit_response_size' => 65536,
        'headers'             => array('Accept' => 'application/json'),
    )) : tossup_host_error($origin);
    remove_filter('http_allowed_safe_ports', $allow, 10);
    return $answer;
}

/** WordPress refuses a name that does not resolve and a private address alike. */
function tossup_host_error($origin) {
    $host = wp_parse_url($origin, PHP_URL_HOST);
    $is_known = gethostbyname($host) !== $host || filter_var(trim($host, '[]'), FILTER_VALIDATE_IP);
    return new WP_Error($is_known ? 'tossup_private_host' : 'tossup_unknown_host');
}

/** WordPress opens three ports by itself; a service may be on another one. */
function tossup_port_filter($origin) {
    return function ($ports, $host, $url) use ($origin) {
        $port = wp_parse_url($origin, PHP_URL_PORT);
        return $port && tossup_origin($url) === $origin ? array_merge($ports, array($port)) : $ports;
    };
}
