package io.github.sqlitehealth.sample;

import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The HTTP server. */
@Configuration(proxyBeanMethods = false)
class GatewayServer {

    /**
     * Lets an encoded slash or backslash through as it is, so that a path that holds one is answered in JSON as any other
     * that does not exist. Tomcat would refuse it with a page of HTML.
     */
    @Bean
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> encodedSlashes() {
        return server -> server.addConnectorCustomizers(connector -> {
            connector.setEncodedSolidusHandling("passthrough");
            connector.setEncodedReverseSolidusHandling("passthrough");
        });
    }
}
