package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.it.Db;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Function;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.sqlite.JDBC;
import org.sqlite.SQLiteDataSource;

/** The ways in which applications come to a database. */
enum DataSourceKind {
    HIKARI(url -> Db.pool(url, 2)),
    HIKARI_OVER_DATA_SOURCE(url -> {
        var pool = new com.zaxxer.hikari.HikariDataSource();
        pool.setDataSource(sqlite(url));
        return pool;
    }),
    HIKARI_BY_CLASS_NAME(url -> {
        var pool = new com.zaxxer.hikari.HikariDataSource();
        pool.setDataSourceClassName("org.sqlite.SQLiteDataSource");
        pool.addDataSourceProperty("url", url);
        return pool;
    }),
    SQLITE(DataSourceKind::sqlite),
    DRIVER_MANAGER(DriverManagerDataSource::new),
    SIMPLE_DRIVER(url -> new SimpleDriverDataSource(new JDBC(), url)),
    SINGLE_CONNECTION(url -> new SingleConnectionDataSource(url, true)),
    LAZY(url -> lazy(new DriverManagerDataSource(url))),
    LAZY_HIKARI(url -> lazy(Db.pool(url, 2))),
    TRANSACTION_AWARE(url -> new TransactionAwareDataSourceProxy(sqlite(url))),
    TWICE_WRAPPED(url -> new TransactionAwareDataSourceProxy(lazy(Db.pool(url, 2)))),
    AOP_PROXY(url -> {
        ProxyFactory factory = new ProxyFactory();
        factory.addInterface(DataSource.class);
        factory.setTarget(sqlite(url));
        return (DataSource) factory.getProxy(DataSourceKind.class.getClassLoader());
    }),
    /** As tracing libraries wrap: it says nothing of what it wraps. */
    UNKNOWN_WRAPPER(url -> new Wrapper(sqlite(url))),
    UNKNOWN_WRAPPER_OF_HIKARI(url -> new Wrapper(Db.pool(url, 2))),
    TELLING_PROXY(url -> {
        DataSource target = sqlite(url);
        return (DataSource) Proxy.newProxyInstance(
                DataSourceKind.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.invoke(target, arguments));
    }),
    /** Nothing can be known of this one but by asking it for a connection. */
    OPAQUE(Opaque::new);

    private final Function<String, DataSource> creation;

    DataSourceKind(Function<String, DataSource> creation) {
        this.creation = creation;
    }

    DataSource of(Path file) {
        return creation.apply(Db.url(file));
    }

    DataSource of(String url) {
        return creation.apply(url);
    }

    private static SQLiteDataSource sqlite(String url) {
        SQLiteDataSource dataSource = new SQLiteDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    private static DataSource lazy(DataSource target) {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
        lazy.setTargetDataSource(target);
        lazy.setDefaultAutoCommit(true);
        return lazy;
    }

    private static final class Wrapper implements DataSource {

        private final DataSource wrapped;

        Wrapper(DataSource wrapped) {
            this.wrapped = wrapped;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return wrapped.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return wrapped.getConnection(user, password);
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("I wrap nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }

    private static final class Opaque extends AbstractDataSource {

        private final String address;

        Opaque(String address) {
            this.address = address;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return DriverManager.getConnection(address);
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
