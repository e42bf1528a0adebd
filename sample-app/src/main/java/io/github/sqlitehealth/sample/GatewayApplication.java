package io.github.sqlitehealth.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Nothing here knows of sqlite-health: having the starter on the class path is all that it takes. */
@SpringBootApplication(proxyBeanMethods = false)
public class GatewayApplication {

    public static void main(String[] args) {
        SpringApplication.run(GatewayApplication.class, args);
    }
}
